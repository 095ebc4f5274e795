#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/predict.h"

namespace hbmscope {

// What a mask's word stands for: "window:4096" is {window, 4096}.
struct MaskChoice {
  Mask mask = Mask::full;
  std::int64_t window = 0;
  bool operator==(const MaskChoice&) const = default;
};

// The attention of a model's layers of one kind.
struct ModelLayer {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t head_dim_v = 1;
  DataType dtype = DataType::bf16;
  MaskChoice mask;
  bool operator==(const ModelLayer&) const = default;
};

struct Implementation {
  const Algorithm* algorithm = nullptr;
  const Variant* variant = nullptr;
};

// The values that each part of a point takes. An empty vector stands for "as another option says": kv_heads
// as heads, seqlens_kv as seqlens, head_dims_v as head_dims; brs, bcs, stages, splits, orders and kv_walks as
// the variant implies, or as in a plan that says nothing. Tokens, if there are any, replace batches. Layers,
// if there are any, replace heads, kv_heads, head_dims and head_dims_v, and give a dtype and a mask where
// there are none.
struct PointAxes {
  std::vector<GpuSpec> gpus;
  std::vector<std::vector<std::string>> settings;  // of each key: "l2.capacity=50MiB", "l2.capacity=100MiB"
  std::vector<Direction> directions;
  std::vector<DataType> dtypes;
  std::vector<ModelLayer> layers;
  std::vector<std::int64_t> heads;
  std::vector<std::int64_t> kv_heads;
  std::vector<std::int64_t> head_dims;
  std::vector<std::int64_t> head_dims_v;
  std::vector<std::int64_t> batches;
  std::vector<std::int64_t> tokens;  // batch = tokens / seqlen
  std::vector<std::int64_t> seqlens;
  std::vector<std::int64_t> seqlens_kv;
  std::vector<std::int64_t> seeds;
  std::vector<MaskChoice> masks;
  std::vector<Implementation> implementations;
  std::vector<std::int64_t> brs;
  std::vector<std::int64_t> bcs;
  std::vector<std::int64_t> stages;
  std::vector<std::int64_t> splits;
  std::vector<Order> orders;
  std::vector<Walk> kv_walks;
  std::vector<L2Mode> l2_modes;
  std::vector<CacheState> cache_states;
  std::vector<std::int64_t> placements;
};

inline constexpr std::uint64_t kLargestPointCount = 10'000'000;

// All combinations of the axes' values, made when they are asked for. Their order is that of the members of
// PointAxes, the last running fastest, so that the points of one problem stand together.
class PointList {
 public:
  // Checks every problem and what the implementations take. Throws UserError for sizes that do not fit each
  // other, for what a variant does not take, and for more than kLargestPointCount points.
  explicit PointList(PointAxes axes);
  PointList(const PointList&) = delete;
  PointList& operator=(const PointList&) = delete;

  std::size_t size() const { return size_; }
  // Overwrites `point`, so that a sweep reuses its strings; the result points into this list.
  PointContext fill(std::size_t index, Point& point) const;
  const std::vector<GpuSpec>& gpus() const { return axes_.gpus; }
  // Each once.
  std::vector<DataType> dtypes() const;
  // Whether some points are run through the L2's caches.
  bool replays() const;

 private:
  static constexpr std::size_t kAxes = 22;
  using Indices = std::array<std::size_t, kAxes>;

  Indices indices_of(std::size_t index) const;
  void fill_problem(const Indices& indices, Problem& problem) const;
  void check_problems() const;
  void check_implied(const Problem& problem) const;
  void check_implementations() const;

  PointAxes axes_;
  Indices sizes_{};
  std::size_t size_ = 0;
};

}  // namespace hbmscope
