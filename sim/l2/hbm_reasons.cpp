#include "sim/l2/hbm_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/l2/byte_words.h"
#include "sim/l2/cta_slots.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/launch_reasons.h"

namespace hbmscope {
namespace {

double real(std::uint64_t bytes) { return static_cast<double>(bytes); }
double sum(const ReadWrite& bytes) { return real(bytes.read) + real(bytes.write); }

using Amounts = std::vector<std::pair<std::string_view, double>>;

// value(launch, tensor) summed up over the launches, for every tensor by its own name.
template <class Value>
Amounts by_tensor(const ReasonedProgram& of, Value value) {
  Amounts amounts;
  for (int tensor = 0; tensor < of.program.tensors.count(); ++tensor) {
    const std::string_view name = of.program.tensors[base_tensor(of.program, tensor)].name;
    auto found = std::find_if(amounts.begin(), amounts.end(),
                              [&](const auto& amount) { return amount.first == name; });
    if (found == amounts.end()) found = amounts.insert(amounts.end(), {name, 0.0});
    for (int launch = 0; launch < of.program.launches.count(); ++launch)
      found->second += value(launch, tensor);
  }
  return amounts;
}

double sum(const Amounts& amounts) {
  double bytes = 0;
  for (const auto& [name, amount] : amounts) bytes += amount;
  return bytes;
}

// A difference within rounding of what is printed.
bool coincide(double larger, double smaller) { return larger <= 1.005 * smaller; }

std::string io_words(const ReasonedProgram& of) {
  const TensorTraffic total = total_of(of.traffic);
  const double io = sum(total.io);
  const double compulsory = sum(total.compulsory);
  if (coincide(io, compulsory))
    return fmt::format("io and compulsory bytes coincide ({}): nothing is read or written twice.",
                       traffic_text(compulsory));
  const Amounts beyond = by_tensor(of, [&](int launch, int tensor) {
    const TensorTraffic& counted = of.traffic.launches[launch].tensors[tensor];
    return sum(counted.io) - sum(counted.compulsory);
  });
  return fmt::format(
      "io counts every access, {}, and compulsory every byte once, {}: 1/{} of that. The difference is {}.",
      traffic_text(io), traffic_text(compulsory), count_text(io / compulsory), shares_text(beyond));
}

// Why less than all of the caches counts.
std::string room_words(const ReasonedProgram& of) {
  const L2Geometry geometry = l2_geometry(of.gpu);
  if (geometry.shared_capacity() == geometry.total_capacity()) return "";
  const std::string all = cache_text(real(geometry.total_capacity()));
  const std::string shared = cache_text(real(geometry.shared_capacity()));
  if (!geometry.home_is_a_side)
    return fmt::format("Of {} of cache, {} count: the L2s of the dies hold copies.", all, shared);
  const bool reached = of.gpu.l2().reached_bytes.has_value();
  return fmt::format(
      "Of {} of L2{}, {} count for what all SMs read, which lies on each of {} sides, and {} for what one SM "
      "or another reads, which lies near it and at its home.",
      all, reached ? " that addresses reach" : "", shared, geometry.sides,
      cache_text(real(geometry.private_capacity())));
}

// Stores that repeat earlier ones: dirty lines that stay take them for nothing.
std::string rewritten_words(const ReasonedProgram& of) {
  double stored = 0;
  std::vector<std::string> names;
  const Amounts again = by_tensor(of, [&](int launch, int tensor) {
    if (of.program.tensors[tensor].role == Role::local) return 0.0;
    const TensorTraffic& counted = of.traffic.launches[launch].tensors[tensor];
    return real(counted.io.write) - real(counted.compulsory.write);
  });
  for (const auto& [name, bytes] : again) {
    if (bytes <= 0) continue;
    names.emplace_back(name);
    stored += bytes;
  }
  const double compulsory = real(total_of(of.traffic).compulsory.write);
  if (coincide(compulsory + stored, compulsory)) return "";
  const L2Geometry geometry = l2_geometry(of.gpu);
  const double dirty = real(static_cast<Bytes>(geometry.homes) * geometry.dirty_bytes);
  std::string text = fmt::format(
      "{} {} written over and over, {} beyond once; no more than {} of lines stay dirty", joined_words(names),
      names.size() == 1 ? "is" : "are", traffic_text(stored), cache_text(dirty));
  if (of.hbm == nullptr) return text + ".";
  return fmt::format("{}, and DRAM gets {} for {} of distinct bytes.", text,
                     traffic_text(real(of.hbm->total.write)), traffic_text(compulsory));
}

// Registers that spill: every CTA in flight keeps a piece of local memory in the L2.
std::string spilled_words(const ReasonedProgram& of) {
  std::int64_t pieces = 0;
  for (const Launch& launch : of.program.launches)
    pieces = std::max(pieces, resident_ctas(launch, of.program, of.gpu));
  for (const Tensor& tensor : of.program.tensors) {
    if (tensor.role != Role::local) continue;
    const double piece = static_cast<double>(tensor.rows * tensor.columns * tensor.element_bytes);
    return fmt::format(
        "Spilled registers take {} of the L2: {} CTAs in flight, {} each, written again and again.",
        cache_text(piece * static_cast<double>(pieces)), pieces, cache_text(piece));
  }
  return "";
}

std::string excess_words(const ReasonedProgram& of) {
  if (of.hbm == nullptr) return "";
  Amounts excess = by_tensor(of, [&](int launch, int tensor) {
    return sum(of.hbm->launches[launch].tensors[tensor]) -
           sum(of.traffic.launches[launch].tensors[tensor].compulsory);
  });
  // What one launch writes and another reads may be billed to either.
  for (auto& [name, bytes] : excess) bytes = std::max(bytes, 0.0);
  if (coincide(sum(total_of(of.traffic).compulsory) + sum(excess), sum(total_of(of.traffic).compulsory)))
    return "DRAM moves the compulsory bytes: what is read again is found in the L2.";
  return fmt::format("Beyond the compulsory bytes DRAM moves {}: {}.", traffic_text(sum(excess)),
                     shares_text(excess));
}

// "5.10 GB at DRAM, 1.40 times compulsory and 1/35 of io".
std::string in_terms_of(double bytes, const Prediction& prediction) {
  const double compulsory = real(prediction.compulsory_bytes);
  const double io = real(prediction.io_bytes);
  std::string text = traffic_text(bytes) + " at DRAM";
  if (compulsory > 0) text += fmt::format(", {} times compulsory", digits_text(bytes / compulsory));
  if (bytes > 0 && io >= 1.5 * bytes) {
    text += fmt::format(" and 1/{} of io", count_text(io / bytes));
  } else if (io > 0) {
    text += fmt::format(" and {} of io", percent_text(bytes / io));
  }
  return text;
}

}  // namespace

std::vector<std::string> hbm_reasons(const ReasonedProgram& of) {
  std::vector<std::string> sentences{io_words(of)};
  for (int launch = 0; launch < of.program.launches.count(); ++launch) {
    for (std::string& sentence : launch_reasons(of, launch)) sentences.push_back(std::move(sentence));
  }
  std::string room = sentences.size() > 1 ? room_words(of) : "";
  if (!room.empty()) sentences.insert(sentences.begin() + 1, std::move(room));
  for (std::string (*words)(const ReasonedProgram&) : {rewritten_words, spilled_words, excess_words}) {
    std::string sentence = words(of);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> hbm_conclusions(const Record& record) {
  const Prediction& prediction = *record.prediction;
  std::vector<std::string> sentences;
  if (record.point.l2_mode == L2Mode::none) {
    sentences.emplace_back(
        "Predicted HBM bytes are the compulsory ones (--l2 none); --l2 replay predicts what DRAM is asked "
        "for.");
  } else {
    sentences.push_back(fmt::format(
        "Predicted by --l2 {}: {}.", to_string(record.point.l2_mode),
        in_terms_of(real(prediction.hbm_read_bytes) + real(prediction.hbm_write_bytes), prediction)));
  }
  if (!record.measurement || !record.measurement->hbm_read_bytes) return sentences;
  const std::optional<std::uint64_t> written = total_hbm_write_bytes(*record.measurement);
  if (!written) return sentences;
  sentences.push_back(fmt::format(
      "Measured: {}.", in_terms_of(real(*record.measurement->hbm_read_bytes) + real(*written), prediction)));
  return sentences;
}

}  // namespace hbmscope
