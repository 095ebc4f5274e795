#include "cli/tolerance.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/axis.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::string_view kOption = "--tolerance";
constexpr std::string_view kAccepted =
    "expected a list of hbm=P%, l2=P% and sram=P%, P a number from 0 to 1000";

[[noreturn]] void fail(const std::string& value) {
  throw UserError(std::string(kOption), value, std::string(kAccepted));
}

double parse_percent(const std::string& item, std::string_view text) {
  if (!text.ends_with('%')) fail(item);
  text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !(percent >= 0 && percent <= 1000)) fail(item);
  return percent / 100;
}

// Zero measured bytes have no relative error: they hold only if zero was predicted.
bool holds(const std::optional<std::uint64_t>& predicted, const std::optional<std::uint64_t>& measured,
           const std::optional<double>& error, double limit) {
  if (error) return std::abs(*error) <= limit;
  return predicted && measured && *predicted == *measured;
}

std::string words(Boundary boundary, const char* what, const std::optional<std::uint64_t>& measured,
                  const std::optional<double>& error, double limit) {
  const std::string name = fmt::format("{} {}", to_string(boundary), what);
  if (!measured) return name + " was not measured";
  if (!error) return name + " cannot be compared";
  return fmt::format("{} is {:+.2f} % off, the tolerance is {:g} %", name, *error * 100, limit * 100);
}

}  // namespace

const std::optional<double>& Tolerance::at(Boundary boundary) const {
  switch (boundary) {
    case Boundary::hbm:
      return hbm;
    case Boundary::l2:
      return l2;
    case Boundary::sram:
      break;
  }
  return sram;
}

Tolerance parse_tolerance(std::string_view text) {
  Tolerance tolerance;
  for (const std::string& item : split_axis(kOption, text, kAccepted)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) fail(item);
    const std::string name = item.substr(0, equals);
    std::optional<double>* limit = name == "hbm"    ? &tolerance.hbm
                                   : name == "l2"   ? &tolerance.l2
                                   : name == "sram" ? &tolerance.sram
                                                    : nullptr;
    if (limit == nullptr || limit->has_value()) fail(item);
    *limit = parse_percent(item, std::string_view(item).substr(equals + 1));
  }
  return tolerance;
}

BoundaryBytes bytes_at(Boundary boundary, const Record& record) {
  const Prediction predicted = record.prediction.value_or(Prediction{});
  const Measurement measured = record.measurement.value_or(Measurement{});
  const Errors errors = errors_of(record);
  switch (boundary) {
    case Boundary::hbm:
      return {predicted.hbm_read_bytes,  measured.hbm_read_bytes,         errors.hbm_read,
              predicted.hbm_write_bytes, total_hbm_write_bytes(measured), errors.hbm_write};
    case Boundary::l2:
      return {predicted.l2_read_bytes,  measured.l2_read_bytes,  errors.l2_read,
              predicted.l2_write_bytes, measured.l2_write_bytes, errors.l2_write};
    case Boundary::sram:
      break;
  }
  return {predicted.sram_read_bytes,  measured.sram_read_bytes,  errors.sram_read,
          predicted.sram_write_bytes, measured.sram_write_bytes, errors.sram_write};
}

std::vector<std::string> violations(const Record& record, const Tolerance& tolerance) {
  std::vector<std::string> found;
  if (tolerance.any() && record.provenance.stale) {
    found.emplace_back("the recorded measurement is of other kernels than today's");
  }
  for (const Boundary boundary : kBoundaries) {
    const std::optional<double>& limit = tolerance.at(boundary);
    if (!limit) continue;
    const BoundaryBytes bytes = bytes_at(boundary, record);
    if (!holds(bytes.predicted_read, bytes.measured_read, bytes.read_error, *limit)) {
      found.push_back(words(boundary, "read", bytes.measured_read, bytes.read_error, *limit));
    }
    if (!holds(bytes.predicted_write, bytes.measured_write, bytes.write_error, *limit)) {
      found.push_back(words(boundary, "write", bytes.measured_write, bytes.write_error, *limit));
    }
  }
  return found;
}

}  // namespace hbmscope
