#include "cli/point_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/error.h"

namespace hbmscope {
namespace {

// The axes in the order of PointAxes; batches and tokens share one.
enum Axis : std::uint8_t {
  gpu,
  direction,
  dtype,
  heads,
  kv_heads,
  head_dim,
  head_dim_v,
  batch,
  seqlen,
  seqlen_kv,
  seed,
  mask,
  implementation,
  br,
  bc,
  stage,
  split,
  order,
  kv_walk,
  l2_mode,
  cache_state,
  placement,
};

// An axis that follows another one has one value.
template <class T>
std::size_t length(const std::vector<T>& values) {
  return std::max<std::size_t>(values.size(), 1);
}

template <class T>
T value_or(const std::vector<T>& values, std::size_t index, T otherwise) {
  return values.empty() ? otherwise : values[index];
}

template <class T>
std::vector<T> values_or(const std::vector<T>& values, T otherwise) {
  return values.empty() ? std::vector<T>{otherwise} : values;
}

void fill_layer(const ModelLayer& layer, Problem& problem) {
  problem.heads = layer.heads;
  problem.kv_heads = layer.kv_heads;
  problem.head_dim = layer.head_dim;
  problem.head_dim_v = layer.head_dim_v;
  problem.dtype = layer.dtype;
  problem.mask = layer.mask.mask;
  problem.window = layer.mask.window;
}

std::int64_t batch_of_tokens(std::int64_t tokens, std::int64_t seqlen) {
  if (tokens % seqlen != 0) {
    throw UserError("--tokens", std::to_string(tokens),
                    fmt::format("expected a multiple of --seqlen {}", seqlen));
  }
  return tokens / seqlen;
}

}  // namespace

PointList::PointList(PointAxes axes) : axes_(std::move(axes)) {
  sizes_ = {length(axes_.gpus),
            length(axes_.directions),
            length(axes_.dtypes),
            axes_.layers.empty() ? length(axes_.heads) : axes_.layers.size(),
            length(axes_.kv_heads),
            length(axes_.head_dims),
            length(axes_.head_dims_v),
            axes_.tokens.empty() ? length(axes_.batches) : axes_.tokens.size(),
            length(axes_.seqlens),
            length(axes_.seqlens_kv),
            length(axes_.seeds),
            length(axes_.masks),
            length(axes_.implementations),
            length(axes_.brs),
            length(axes_.bcs),
            length(axes_.stages),
            length(axes_.splits),
            length(axes_.orders),
            length(axes_.kv_walks),
            length(axes_.l2_modes),
            length(axes_.cache_states),
            length(axes_.placements)};
  std::uint64_t count = 1;
  for (const std::size_t size : sizes_) {  // every size is below 2^20, so one step cannot wrap
    count *= size;
    if (count > kLargestPointCount) {
      throw UserError("axes", "",
                      fmt::format("expected at most {} points in all; use fewer values", kLargestPointCount));
    }
  }
  size_ = count;
  check_problems();
  check_implementations();
}

PointList::Indices PointList::indices_of(std::size_t index) const {
  Indices indices{};
  for (std::size_t axis = kAxes; axis-- > 0;) {
    indices[axis] = index % sizes_[axis];
    index /= sizes_[axis];
  }
  return indices;
}

bool PointList::replays() const {
  return std::ranges::find(axes_.l2_modes, L2Mode::replay) != axes_.l2_modes.end();
}

std::vector<DataType> PointList::dtypes() const {
  if (!axes_.dtypes.empty()) return axes_.dtypes;
  std::vector<DataType> dtypes;
  for (const ModelLayer& layer : axes_.layers) {
    if (std::find(dtypes.begin(), dtypes.end(), layer.dtype) == dtypes.end()) dtypes.push_back(layer.dtype);
  }
  return dtypes;
}

void PointList::fill_problem(const Indices& indices, Problem& problem) const {
  problem.direction = axes_.directions[indices[direction]];
  if (axes_.layers.empty()) {
    problem.heads = axes_.heads[indices[heads]];
    problem.kv_heads = value_or(axes_.kv_heads, indices[kv_heads], problem.heads);
    problem.head_dim = axes_.head_dims[indices[head_dim]];
    problem.head_dim_v = value_or(axes_.head_dims_v, indices[head_dim_v], problem.head_dim);
  } else {
    fill_layer(axes_.layers[indices[heads]], problem);
  }
  if (!axes_.dtypes.empty()) problem.dtype = axes_.dtypes[indices[dtype]];
  if (!axes_.masks.empty()) {
    problem.mask = axes_.masks[indices[mask]].mask;
    problem.window = axes_.masks[indices[mask]].window;
  }
  problem.seqlen_q = axes_.seqlens[indices[seqlen]];
  problem.seqlen_kv = value_or(axes_.seqlens_kv, indices[seqlen_kv], problem.seqlen_q);
  problem.batch = axes_.tokens.empty() ? axes_.batches[indices[batch]]
                                       : batch_of_tokens(axes_.tokens[indices[batch]], problem.seqlen_q);
}

// Problems repeat for every implementation and tile; each is looked at once.
void PointList::check_problems() const {
  std::size_t repeats = 1;
  for (std::size_t axis = implementation; axis < kAxes; ++axis) repeats *= sizes_[axis];
  Problem problem;
  for (std::size_t index = 0; index < size_ / sizes_[gpu]; index += repeats) {
    fill_problem(indices_of(index), problem);
    check_problem(problem);
    check_implied(problem);
  }
}

// What a kernel implies depends on the problem; each value that is given has to be the one implied.
void PointList::check_implied(const Problem& problem) const {
  for (const Implementation& chosen : axes_.implementations) {
    if (chosen.variant->implied == nullptr) continue;
    const ImpliedPlan implied = chosen.variant->implied(problem);
    Plan plan{problem, implied.tile, implied.order, implied.kv_walk};
    const auto check = [&](const auto& values, auto& part) {
      for (const auto& value : values) {
        part = value;
        check_plan(*chosen.algorithm, *chosen.variant, plan);
      }
    };
    check_plan(*chosen.algorithm, *chosen.variant, plan);
    check(axes_.brs, plan.tile.br);
    check(axes_.bcs, plan.tile.bc);
    check(axes_.stages, plan.tile.stages);
    check(axes_.splits, plan.tile.splits);
    check(axes_.orders, plan.order);
    check(axes_.kv_walks, plan.kv_walk);
  }
}

// Of a plan, a variant that implies nothing refuses by direction, splits, order and walk alone.
void PointList::check_implementations() const {
  for (const Implementation& chosen : axes_.implementations) {
    if (chosen.variant->implied != nullptr) continue;
    Plan plan;
    for (const Direction way : axes_.directions) {
      plan.problem.direction = way;
      for (const std::int64_t splits : values_or(axes_.splits, Tile{}.splits)) {
        plan.tile.splits = splits;
        for (const Order fastest : values_or(axes_.orders, Plan{}.order)) {
          plan.order = fastest;
          for (const Walk walk : values_or(axes_.kv_walks, Plan{}.kv_walk)) {
            plan.kv_walk = walk;
            check_plan(*chosen.algorithm, *chosen.variant, plan);
          }
        }
      }
    }
  }
}

PointContext PointList::fill(std::size_t index, Point& point) const {
  const Indices indices = indices_of(index);
  const GpuSpec& spec = axes_.gpus[indices[gpu]];
  const Implementation& chosen = axes_.implementations[indices[implementation]];
  fill_problem(indices, point.problem);
  point.gpu = spec.name;
  point.algorithm = chosen.algorithm->name;
  point.variant = chosen.variant->name;
  const ImpliedPlan own =
      chosen.variant->implied == nullptr ? ImpliedPlan{} : chosen.variant->implied(point.problem);
  point.tile = {value_or(axes_.brs, indices[br], own.tile.br), value_or(axes_.bcs, indices[bc], own.tile.bc),
                value_or(axes_.stages, indices[stage], own.tile.stages),
                value_or(axes_.splits, indices[split], own.tile.splits)};
  point.order = value_or(axes_.orders, indices[order], own.order);
  point.kv_walk = value_or(axes_.kv_walks, indices[kv_walk], own.kv_walk);
  point.l2_mode = axes_.l2_modes[indices[l2_mode]];
  point.cache_state = axes_.cache_states[indices[cache_state]];
  point.placement = axes_.placements[indices[placement]];
  point.seed = axes_.seeds[indices[seed]];
  return {&spec, chosen.algorithm, chosen.variant};
}

}  // namespace hbmscope
