// A description of a kernel that others built: what is accepted says the same when written and read again, is
// found for its problems, and splits K and V into some parts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/foreign_kernel.h"
#include "sim/record.h"
#include "sim/toml_text.h"
#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {
namespace {

constexpr std::array kSchedules{"hardware", "static-stride", "atomic-counter", "longest-first"};

void put_flag(TomlText& out, const char* key, bool value) {
  if (value) out.line(fmt::format("{} = true", key));
}

void put_case(TomlText& out, const ForeignCase& each) {
  out.line("[[case]]");
  out.put("head_dim", each.head_dim);
  put_flag(out, "one_query", each.one_query);
  if (!each.one_query) out.put("mask", std::string(to_string(each.mask)));
  if (each.split) {
    out.put("split_places", each.split->places);
    out.put("split_stats", each.split->stats);
    out.put("combine_rows", each.split->combine_rows);
  }
  out.put("br", each.tile.br);
  out.put("bc", each.tile.bc);
  out.put("stages", each.tile.stages);
  out.put("threads", each.threads);
  out.put("shared_bytes", each.shared_bytes);
  out.put("ctas_per_sm", each.ctas_per_sm);
  out.put("schedule", std::string(kSchedules.at(static_cast<std::size_t>(each.schedule))));
  if (each.schedule != Schedule::hardware) out.put("persistent_ctas", each.persistent_ctas);
  put_flag(out, "batch_before_head", each.batch_before_head);
  out.put("q_walk", std::string(to_string(each.q_walk)));
  out.put("kv_walk", std::string(to_string(each.kv_walk)));
  put_flag(out, "writes_lse", each.writes_lse);
  if (each.spills) {
    out.put("spill_bytes_per_step", each.spills->bytes_per_step);
    out.put("spill_bytes_per_cta", each.spills->bytes_per_cta);
  }
  if (each.younger_cta_rate) {
    out.put("younger_cta_percent", static_cast<std::int64_t>(std::llround(*each.younger_cta_rate * 100)));
  }
  if (each.gpc_clock_deviation) {
    out.put("gpc_clock_deviation_ppm",
            static_cast<std::int64_t>(std::llround(*each.gpc_clock_deviation * 1e6)));
  }
}

std::string toml_of(const ForeignKernel& kernel) {
  TomlText out;
  out.put("name", kernel.name);
  out.put("full_name", kernel.full_name);
  put_flag(out, "splits_prompts", kernel.splits_prompts);
  out.line("[counted_on]");
  out.put("name", kernel.counted_on.name);
  out.put("compute_capability", kernel.counted_on.compute_capability);
  out.put("sms", kernel.counted_on.sms);
  out.line("[source]");
  for (const char* key : {"tile", "residency", "grid", "walks"}) out.put(key, std::string("a source"));
  const auto any = [&](auto has) { return std::any_of(kernel.cases.begin(), kernel.cases.end(), has); };
  if (any([](const ForeignCase& each) { return each.spills.has_value(); })) {
    out.put("spills", std::string("a source"));
  }
  if (any([](const ForeignCase& each) { return each.one_query; })) out.put("decode", std::string("a source"));
  if (any([](const ForeignCase& each) { return each.younger_cta_rate.has_value(); })) {
    out.put("younger_cta_rate", std::string("a source"));
  }
  if (any([](const ForeignCase& each) { return each.gpc_clock_deviation.has_value(); })) {
    out.put("gpc_clock_deviation", std::string("a source"));
  }
  for (const ForeignCase& each : kernel.cases) put_case(out, each);
  return out.text();
}

void check_case(const ForeignKernel& kernel, const ForeignCase& each) {
  for (const std::int64_t keys : {std::int64_t{1}, std::int64_t{4096}, kLargestSize}) {
    for (const std::int64_t heads : {std::int64_t{1}, std::int64_t{48}, kLargestSize}) {
      const Problem problem{.batch = heads,
                            .heads = heads,
                            .kv_heads = heads,
                            .seqlen_q = each.one_query ? 1 : 2,
                            .seqlen_kv = keys,
                            .head_dim = each.head_dim,
                            .head_dim_v = each.head_dim,
                            .mask = each.mask};
      const std::int64_t splits = splits_of(each, problem);
      require(splits >= 1 && splits <= ceil_div(keys, each.tile.bc), "no more splits than tiles of K and V");
      const ForeignCase* found = find_case(kernel, problem);
      require(each.split || found != nullptr, "a case that does not ask for splits holds for its problems");
      require(found == nullptr || found->one_query == each.one_query, "one query has cases of its own");
    }
  }
}

}  // namespace

bool check_input(std::string_view input) {
  const auto kernel = accepted([&] { return parse_foreign_kernel(input, "kernel.toml"); });
  if (!kernel) return false;
  const std::string written = toml_of(*kernel);
  require(toml_of(parse_foreign_kernel(written, "written.toml")) == written,
          "a description is the same when read again");
  for (const ForeignCase& each : kernel->cases) check_case(*kernel, each);
  return true;
}

}  // namespace hbmscope::fuzz
