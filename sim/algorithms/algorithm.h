#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/record.h"
#include "sim/tile.h"

namespace hbmscope {

// What an algorithm needs to know to write its program down.
struct Plan {
  Problem problem;
  Tile tile;
  Order order = Order::q_fastest;
  Walk kv_walk = Walk::up;
};

// What of a plan a variant's programs honour beyond forward attention over contiguous, unsplit K and V with q
// tiles fastest and K/V tiles ascending. What is not taken would be answered with the count of something
// else.
struct Takes {
  bool backward = false;
  bool splits = false;
  bool paged = false;
  bool head_fastest = false;
  bool kv_walks = false;
};

// Compute capabilities (90 is 9.0) that a variant's kernels run on.
struct Capabilities {
  std::int64_t oldest = 80;
  std::int64_t newest = kUnbounded;
};

// What a variant itself decides of a plan.
struct ImpliedPlan {
  Tile tile;
  Order order = Order::q_fastest;
  Walk kv_walk = Walk::up;
};

// One implementation of an algorithm. `build` fills an empty program for any problem and tile that `takes`
// allows.
struct Variant {
  std::string_view name;
  std::string_view summary;
  // A kernel exists; if so, `limit` says why it cannot run a plan that the variant takes: "" or what is
  // needed and what is allowed.
  bool has_kernel = false;
  void (*build)(const Plan& plan, Program& program) = nullptr;
  std::string (*limit)(const Plan& plan) = nullptr;
  Takes takes = {};
  Capabilities capabilities = {};
  // Of a kernel that others built; null where tile, order and walk are free. Throws UserError naming the
  // option of a problem that the kernel is not known for.
  ImpliedPlan (*implied)(const Problem& problem) = nullptr;
  // Of such a kernel: what a prediction takes over unseen; "" if nothing.
  std::string (*note)(const Problem& problem, const GpuSpec& gpu) = nullptr;
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::span<const Variant> variants;  // the first is what validate runs
  bool unfused = false;               // scores go through memory; reports compare the others with these
};

// All algorithms. Of the unfused ones the first that a report holds is what it compares with. A new one is a
// file in this folder that defines an Algorithm, and its name in sim/CMakeLists.txt and in registry.cpp.
std::span<const Algorithm* const> algorithms();

// Throws UserError (--algorithm, --variant) listing what there is.
const Algorithm& find_algorithm(std::string_view name);
const Variant& find_variant(const Algorithm& algorithm, std::string_view name);

// Throws UserError naming the option (--direction, --splits, --page-size, --order, --kv-walk) that the
// variant does not take, or a tile, order or walk other than those that it implies, and what is accepted.
void check_plan(const Algorithm& algorithm, const Variant& variant, const Plan& plan);

// Empties `program` and builds it.
void build_program(const Algorithm& algorithm, const Variant& variant, const Plan& plan, Program& program);

}  // namespace hbmscope
