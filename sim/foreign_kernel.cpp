#include "sim/foreign_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "sim/config_file.h"
#include "sim/record.h"
#include "sim/toml_reader.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_foreign_kernel_files();

namespace {

constexpr std::int64_t kLargestPart = std::int64_t{1} << 20;  // of a CTA: rows, threads, bytes
constexpr std::int64_t kLargestSection = std::int64_t{1} << 30;

std::optional<Schedule> parse_schedule(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Schedule>, 4> kWords{
      {{"hardware", Schedule::hardware},
       {"static-stride", Schedule::static_stride},
       {"atomic-counter", Schedule::atomic_counter},
       {"longest-first", Schedule::longest_first}}};
  for (const auto& [name, schedule] : kWords) {
    if (name == text) return schedule;
  }
  return std::nullopt;
}

// A window has a size that no case names.
std::optional<Mask> parse_case_mask(std::string_view text) {
  const std::optional<Mask> mask = parse_mask(text);
  return mask == Mask::window ? std::nullopt : mask;
}

// A grid loop has no other one to alternate with.
std::optional<Walk> parse_q_walk(std::string_view text) {
  const std::optional<Walk> walk = parse_walk(text);
  return walk == Walk::alternating ? std::nullopt : walk;
}

std::optional<L2Hint> parse_hint(std::string_view text) {
  if (text == "normal") return L2Hint::normal;
  if (text == "evict-first") return L2Hint::evict_first;
  if (text == "evict-last") return L2Hint::evict_last;
  return std::nullopt;
}

L2Hint hint_or_normal(TomlReader& reader, std::string_view key) {
  return reader.has(key) ? reader.word(key, parse_hint, "normal, evict-first or evict-last") : L2Hint::normal;
}

std::optional<Spills> read_spills(TomlReader& reader) {
  const auto per_step = reader.integer_if_present("spill_bytes_per_step", 1, kLargestPart);
  if (!per_step) return std::nullopt;
  return Spills{*per_step, reader.integer_or("spill_bytes_per_cta", 0, kLargestPart, 0)};
}

std::optional<SplitRule> read_split(TomlReader& reader) {
  const auto places = reader.integer_if_present("split_places", 1, kLargestPart);
  if (!places) return std::nullopt;
  return SplitRule{*places, reader.integer("split_stats", 1, 2),
                   reader.integer("combine_rows", 1, kLargestPart)};
}

ForeignCase read_case(TomlReader reader) {
  constexpr std::int64_t kMostPercent = 1000;
  constexpr std::int64_t kMostClockPpm = 300000;
  ForeignCase read;
  read.head_dim = reader.integer("head_dim", 1, kLargestPart);
  read.one_query = reader.boolean_or("one_query", false);
  if (read.one_query) {
    read.split = read_split(reader);
  } else {
    read.mask = reader.word("mask", parse_case_mask, "full or causal");
  }
  read.tile = {.br = reader.integer("br", 1, kLargestPart),
               .bc = reader.integer("bc", 1, kLargestPart),
               .stages = reader.integer("stages", 1, kLargestPart)};
  read.threads = reader.integer("threads", 1, kLargestPart);
  read.shared_bytes = reader.integer("shared_bytes", 0, kLargestPart);
  read.ctas_per_sm = reader.integer("ctas_per_sm", 1, kLargestPart);
  read.schedule =
      reader.word("schedule", parse_schedule, "hardware, static-stride, atomic-counter or longest-first");
  if (read.schedule != Schedule::hardware) {
    read.persistent_ctas = reader.integer("persistent_ctas", 1, kLargestPart);
  }
  read.batch_before_head = reader.boolean_or("batch_before_head", false);
  read.section_bytes = reader.integer_if_present("section_bytes", 1, kLargestSection);
  read.q_hint = hint_or_normal(reader, "q_hint");
  read.kv_hint = hint_or_normal(reader, "kv_hint");
  read.q_walk = reader.word("q_walk", parse_q_walk, "up or down");
  read.kv_walk = reader.word("kv_walk", parse_walk, "up, down or alternating");
  read.writes_lse = reader.boolean_or("writes_lse", false);
  read.spills = read_spills(reader);
  if (const auto percent = reader.integer_if_present("younger_cta_percent", 1, kMostPercent)) {
    read.younger_cta_rate = static_cast<double>(*percent) / 100;
  }
  if (const auto ppm = reader.integer_if_present("gpc_clock_deviation_ppm", 0, kMostClockPpm)) {
    read.gpc_clock_deviation = static_cast<double>(*ppm) * 1e-6;
  }
  reader.finish();
  return read;
}

// Sources are for those who read the file; what is used must have one.
void check_sources(TomlReader source, const std::vector<ForeignCase>& cases) {
  for (const std::string_view key : {"tile", "residency", "grid", "walks"}) source.text(key);
  const auto any = [&](auto has) { return std::any_of(cases.begin(), cases.end(), has); };
  if (any([](const ForeignCase& each) { return each.spills.has_value(); })) source.text("spills");
  if (any([](const ForeignCase& each) { return each.one_query; })) source.text("decode");
  if (any([](const ForeignCase& each) { return each.younger_cta_rate.has_value(); })) {
    source.text("younger_cta_rate");
  }
  if (any([](const ForeignCase& each) { return each.gpc_clock_deviation.has_value(); })) {
    source.text("gpc_clock_deviation");
  }
  source.finish();
}

ForeignKernel read_kernel(TomlReader reader) {
  ForeignKernel kernel;
  kernel.name = reader.text("name");
  kernel.full_name = reader.text("full_name");
  kernel.counted_on = read_counted_on(reader.table("counted_on"));
  kernel.splits_prompts = reader.boolean_or("splits_prompts", false);
  kernel.counted = reader.boolean_or("counted", true);
  for (const toml::node& node : reader.tables("case")) {
    const ForeignCase read = read_case(reader.element(node, "case"));
    const auto same = [&](const ForeignCase& other) {
      return other.head_dim == read.head_dim && other.mask == read.mask &&
             other.one_query == read.one_query && other.split.has_value() == read.split.has_value();
    };
    if (std::any_of(kernel.cases.begin(), kernel.cases.end(), same)) {
      reader.fail(node, "case",
                  fmt::format("head_dim {}, {}", read.head_dim,
                              read.one_query ? "one_query" : fmt::format("mask {}", to_string(read.mask))),
                  "each case once");
    }
    kernel.cases.push_back(read);
  }
  check_sources(reader.table("source"), kernel.cases);
  reader.finish();
  return kernel;
}

std::map<std::string, ForeignKernel, std::less<>> read_shipped() {
  std::map<std::string, ForeignKernel, std::less<>> kernels;
  for (const std::string& name : foreign_kernel_names()) {
    const ConfigText config = find_config("--variant", embedded_foreign_kernel_files(), name);
    kernels.emplace(name, parse_foreign_kernel(config.text, config.origin));
  }
  return kernels;
}

}  // namespace

CountedOn read_counted_on(TomlReader reader) {
  CountedOn read{reader.text("name"), reader.integer("compute_capability", 1, kLargestPart),
                 reader.integer("sms", 1, kLargestPart)};
  reader.finish();
  return read;
}

std::vector<std::string> foreign_kernel_names() { return config_names(embedded_foreign_kernel_files()); }

const ForeignKernel& foreign_kernel(std::string_view name) {
  static const auto kernels = read_shipped();
  const auto found = kernels.find(name);
  if (found == kernels.end()) throw std::logic_error(fmt::format("no kernel {} is described", name));
  return found->second;
}

ForeignKernel parse_foreign_kernel(std::string_view toml_text, std::string_view origin) {
  const std::string file(origin);
  const toml::table table = parse_toml(toml_text, file);
  return read_kernel({table, file, ""});
}

}  // namespace hbmscope
