#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu.h"
#include "sim/problem.h"
#include "sim/program.h"
#include "sim/tile.h"

namespace hbmscope {

// Registers that a kernel spills, as bytes that one CTA writes; what it reads back hits in the L1.
struct Spills {
  std::int64_t bytes_per_step = 0;  // for every tile of K/V
  std::int64_t bytes_per_cta = 0;   // once beside these
};

// How a kernel splits K and V where the q tiles alone leave too many SMs idle (Flash-Decoding): CTAs write
// partial results in fp32, and a second launch combines them.
struct SplitRule {
  std::int64_t places = 0;        // CTAs that the GPU holds at once
  std::int64_t stats = 1;         // numbers kept of each row beside O: LSE, or maximum and sum
  std::int64_t combine_rows = 1;  // rows that one CTA combines
};

// How a kernel runs one head dim and mask.
struct ForeignCase {
  std::int64_t head_dim = 0;
  Mask mask = Mask::full;
  // For one query per sequence: the query heads of a KV head are the rows of its tile, and a causal mask
  // hides nothing.
  bool one_query = false;
  std::optional<SplitRule> split;  // the case holds only where the rule splits
  Tile tile;
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t ctas_per_sm = 0;
  Schedule schedule = Schedule::hardware;
  std::int64_t persistent_ctas = 0;  // 0 for a CTA for each q tile
  bool batch_before_head = false;    // of the grid: q tile fastest, then batch, then head
  // Heads fastest, but only as many at a time as have K and V of so many bytes, a power of two of them.
  std::optional<std::int64_t> section_bytes;
  L2Hint q_hint = L2Hint::normal;
  L2Hint kv_hint = L2Hint::normal;
  Walk q_walk = Walk::up;
  Walk kv_walk = Walk::up;
  bool writes_lse = false;
  std::optional<Spills> spills;
  std::optional<double> younger_cta_rate;
  std::optional<double> gpc_clock_deviation;
};

// The GPU on which a kernel was counted: how many of its CTAs are resident, and into how many parts it splits
// K and V, follows from these.
struct CountedOn {
  std::string name;  // "an H200"
  std::int64_t compute_capability = 0;
  std::int64_t sms = 0;
};

// A fused attention kernel that others built, as far as its traffic depends on it.
struct ForeignKernel {
  std::string name;       // of the variant
  std::string full_name;  // as its authors call it
  CountedOn counted_on;
  bool splits_prompts = false;  // by the rule of one query, which no case describes for more
  bool counted = true;          // otherwise described from its source alone
  std::vector<ForeignCase> cases;
};

class TomlReader;
// The table [counted_on] of a description.
CountedOn read_counted_on(TomlReader reader);

// Names of the fused kernels that come with hbmscope, sorted.
std::vector<std::string> foreign_kernel_names();

// A shipped kernel by name. Throws std::logic_error for one that is not shipped.
const ForeignKernel& foreign_kernel(std::string_view name);

// Parses a description; `origin` names it in errors. Throws UserError naming file:line and key, the value,
// and what is accepted.
ForeignKernel parse_foreign_kernel(std::string_view toml_text, std::string_view origin);

// Null if the kernel is not described for the problem's head dims and mask.
const ForeignCase* find_case(const ForeignKernel& kernel, const Problem& problem);

// Heads of all batches that are taken at a time: the largest number that divides all of them and is at most
// that of a section; 0 without sections.
std::int64_t heads_of_section(const ForeignCase& described, const Problem& problem);

// CTAs that share a row of K/V tiles; 1 without a rule.
std::int64_t splits_of(const ForeignCase& described, const Problem& problem);

// What a prediction of this problem on this GPU takes over unseen: residency from the GPU on which the kernel
// was counted, and a prompt in one piece where the kernel splits K and V. "" if it takes over nothing.
std::string foreign_note(const ForeignKernel& kernel, const Problem& problem, const GpuSpec& gpu);

}  // namespace hbmscope
