#include "tests/sim/random_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace hbmscope {

void showValue(const Plan& plan, std::ostream& out) {
  const Problem& p = plan.problem;
  out << fmt::format(
      "{} batch {} heads {} kv_heads {} seqlen {}x{} head_dim {},{} {} mask {} window {} page {}; br {} bc "
      "{} "
      "splits {} order {}",
      to_string(p.direction), p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_kv, p.head_dim, p.head_dim_v,
      to_string(p.dtype), to_string(p.mask), p.window, p.page_size, plan.tile.br, plan.tile.bc,
      plan.tile.splits, to_string(plan.order));
}

}  // namespace hbmscope

namespace hbmscope::test {
namespace {

std::int64_t from(std::int64_t smallest, std::int64_t largest) {
  return *rc::gen::inRange<std::int64_t>(smallest, largest + 1);
}

// Lengths of the sequences of a batch, and where their pages lie: any, but the same for the same plan.
std::vector<std::int64_t> lengths_of(const Plan& plan, std::int64_t longest) {
  std::minstd_rand random(static_cast<unsigned>(longest * 31 + plan.problem.batch));
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
    lengths.push_back(1 + static_cast<std::int64_t>(random()) % longest);
  }
  return lengths;
}

std::vector<std::vector<std::int64_t>> shuffled_pages(const std::vector<std::int64_t>& lengths,
                                                      std::int64_t page_size) {
  std::vector<std::vector<std::int64_t>> table;
  std::vector<std::int64_t> pages;
  for (std::int64_t length : lengths) {
    table.emplace_back(static_cast<std::size_t>(ceil_div(length, page_size)));
    for (std::size_t i = 0; i < table.back().size(); ++i) {
      pages.push_back(static_cast<std::int64_t>(pages.size()));
    }
  }
  std::shuffle(pages.begin(), pages.end(), std::minstd_rand(7));
  for (auto& row : table) {
    for (std::int64_t& page : row) {
      page = pages.back();
      pages.pop_back();
    }
  }
  return table;
}

BuiltProgram built_split_kv(Plan plan) {
  if (plan.problem.mask == Mask::window) plan.problem.mask = Mask::causal;
  plan.tile.splits = 1 + plan.problem.seqlen_kv % 4;
  BuiltProgram built;
  build_split_kv(plan, built);
  return built;
}

BuiltProgram built_paged(Plan plan) {
  plan.problem.mask = Mask::full;
  // A page of a quarter, half, once, twice or four times the tile.
  const std::int64_t choice = plan.problem.seqlen_kv % 5;
  const std::int64_t side = 1 + plan.tile.bc % 9;
  plan.tile.bc = choice < 2 ? side * (4 >> choice) : side;
  plan.problem.page_size = choice < 2 ? side : side << (choice - 2);
  const auto lengths = lengths_of(plan, plan.problem.seqlen_kv);
  BuiltProgram built;
  build_paged(plan, lengths, shuffled_pages(lengths, plan.problem.page_size), built);
  return built;
}

BuiltProgram built_mla(Plan plan) {
  plan.problem.kv_heads = 1;
  plan.problem.head_dim_v = std::min(plan.problem.head_dim, plan.problem.head_dim_v);
  BuiltProgram built;
  build_mla(plan, built);
  return built;
}

BuiltProgram built_longest_first(const Plan& plan) {
  BuiltProgram built;
  build_longest_first(plan, 4, built);
  return built;
}

BuiltProgram built_spilling(const Plan& plan) {
  BuiltProgram built;
  build_spilling(plan, 1 + plan.problem.seqlen_q % 5, 1 + plan.problem.seqlen_kv % 7, built);
  return built;
}

// One query, and K and V long enough to be split.
BuiltProgram built_decode(Plan plan) {
  plan.problem.seqlen_q = 1;
  plan.problem.seqlen_kv = 300 + 5 * plan.problem.seqlen_kv;
  const Algorithm& flash2 = find_algorithm("flash2");
  const Variant& fa2 = find_variant(flash2, "fa2");
  BuiltProgram built;
  build_program(flash2, fa2, taken_of(fa2, plan), built.program);
  return built;
}

BuiltProgram built_ragged(Plan plan) {
  if (plan.problem.mask == Mask::window) plan.problem.mask = Mask::causal;
  const auto lengths = lengths_of(plan, plan.problem.seqlen_q);
  plan.problem.seqlen_q = plan.problem.seqlen_kv = *std::max_element(lengths.begin(), lengths.end());
  BuiltProgram built;
  build_ragged_batch(plan, lengths, built);
  return built;
}

BuiltProgram built_packed_gqa(const Plan& plan) {
  BuiltProgram built;
  build_packed_gqa(plan, built);
  return built;
}

BuiltProgram built_multicast(Plan plan) {
  plan.problem.mask = Mask::full;
  BuiltProgram built;
  build_multicast(plan, 1 + plan.problem.seqlen_q % 3, built);
  return built;
}

}  // namespace

rc::Gen<Plan> any_plan() {
  return rc::gen::exec([] {
    Plan plan;
    Problem& problem = plan.problem;
    problem.batch = from(1, 2);
    problem.kv_heads = from(1, 3);
    problem.heads = problem.kv_heads * from(1, 3);
    problem.seqlen_q = from(1, 96);
    problem.seqlen_kv = from(1, 96);
    problem.head_dim = from(1, 6);
    problem.head_dim_v = from(1, 6);
    problem.dtype = *rc::gen::element(DataType::fp32, DataType::bf16, DataType::fp16, DataType::fp8);
    problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
    problem.window = problem.mask == Mask::window ? from(1, 50) : 0;
    plan.tile.br = from(1, 64);
    plan.tile.bc = from(1, 64);
    problem.direction = *rc::gen::element(Direction::forward, Direction::backward, Direction::both);
    plan.tile.splits = from(1, 4);
    plan.order = *rc::gen::element(Order::q_fastest, Order::head_fastest);
    plan.kv_walk = *rc::gen::element(Walk::up, Walk::down, Walk::alternating);
    return plan;
  });
}

Plan taken_of(const Variant& variant, Plan plan) {
  if (!variant.takes.backward) plan.problem.direction = Direction::forward;
  if (!variant.takes.splits) plan.tile.splits = 1;
  if (!variant.takes.head_fastest) plan.order = Order::q_fastest;
  if (!variant.takes.kv_walks || plan.problem.direction == Direction::backward) plan.kv_walk = Walk::up;
  if (variant.implied == nullptr) return plan;
  Problem& problem = plan.problem;
  if (variant.name == "fa3") problem.seqlen_q = std::max<std::int64_t>(problem.seqlen_q, 2);
  problem.head_dim = problem.head_dim_v = problem.seqlen_q == 1 ? 128 : 64;  // known of all of them
  problem.dtype = DataType::bf16;
  if (problem.mask == Mask::window) problem.mask = Mask::causal;
  const ImpliedPlan implied = variant.implied(problem);
  return {problem, implied.tile, implied.order, implied.kv_walk};
}

BuiltProgram Builder::operator()(const Plan& plan) const {
  if (build != nullptr) return build(plan);
  BuiltProgram built;
  const Plan taken = taken_of(*variant, plan);
  check_plan(*algorithm, *variant, taken);
  build_program(*algorithm, *variant, taken, built.program);
  return built;
}

void PrintTo(const Builder& builder, std::ostream* out) { *out << builder.name; }

std::vector<Builder> all_builders() {
  std::vector<Builder> builders;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      builders.push_back({fmt::format("{} {}", algorithm->name, variant.name), nullptr, algorithm, &variant});
    }
  }
  for (const auto& [name, build] :
       std::initializer_list<std::pair<const char*, BuiltProgram (*)(const Plan&)>>{
           {"split-KV", [](const Plan& plan) { return built_split_kv(plan); }},
           {"paged", [](const Plan& plan) { return built_paged(plan); }},
           {"MLA", [](const Plan& plan) { return built_mla(plan); }},
           {"longest first", built_longest_first},
           {"spilling", built_spilling},
           {"fa2 decode", [](const Plan& plan) { return built_decode(plan); }},
           {"ragged batch", [](const Plan& plan) { return built_ragged(plan); }},
           {"packed GQA", built_packed_gqa},
           {"multicast", [](const Plan& plan) { return built_multicast(plan); }}}) {
    builders.push_back({name, build, nullptr, nullptr});
  }
  return builders;
}

}  // namespace hbmscope::test
