// The part of attention_run.h that only reads the program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/attention_params.h"
#include "kernels/attention_run.h"
#include "sim/error.h"
#include "sim/loops.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

// Address of a tensor as the kernels take it; null where the program has none, because no launch touches it
// then.
void* tensor_pointer(const Program& program, std::string_view name,
                     std::span<const DeviceAddress> addresses) {
  const int index = find_tensor(program, name);
  if (index == kNone || program.tensors[index].role == Role::on_chip) return nullptr;
  return std::bit_cast<void*>(addresses[static_cast<std::size_t>(index)]);
}

}  // namespace

std::vector<Bytes> tensor_bytes(const Program& program) {
  std::vector<Bytes> sizes;
  for (const Tensor& tensor : program.tensors) sizes.push_back(tensor_bytes(tensor));
  return sizes;
}

std::uint64_t grid_ctas(const Program& program, const Launch& launch) {
  const std::int64_t ctas =
      launch.schedule == Schedule::hardware ? grid_size(launch, program) : launch.persistent_ctas;
  constexpr std::int64_t kLargestGrid = std::numeric_limits<std::int32_t>::max();
  if (ctas > kLargestGrid) {
    throw UserError("grid of " + std::string(launch.kernel), std::to_string(ctas),
                    fmt::format("at most {} CTAs; use larger tiles or smaller sizes", kLargestGrid));
  }
  return static_cast<std::uint64_t>(ctas);
}

AttentionParams attention_params(const Program& program, std::span<const DeviceAddress> addresses) {
  const Problem& problem = program.problem;
  const auto pointer = [&](std::string_view name) { return tensor_pointer(program, name, addresses); };
  const auto floats = [&](std::string_view name) { return static_cast<float*>(pointer(name)); };
  const auto row_stride = [&](std::string_view name) {
    return pointer(name) == nullptr
               ? 0
               : static_cast<int>(program.tensors[find_tensor(program, name)].row_stride);
  };
  return {
      .q = pointer("Q"),
      .k = pointer("K"),
      .v = pointer("V"),
      .o = pointer("O"),
      .lse = floats("LSE"),
      .s = pointer("S"),
      .p = pointer("P"),
      .batch = static_cast<int>(problem.batch),
      .heads = static_cast<int>(problem.heads),
      .kv_heads = static_cast<int>(problem.kv_heads),
      .seqlen_q = static_cast<int>(problem.seqlen_q),
      .seqlen_kv = static_cast<int>(problem.seqlen_kv),
      .s_columns = row_stride("S"),
      .lse_columns = row_stride("LSE"),
      .scale = softmax_scale(problem),
      // One that reaches beyond the first key sees no more: kept small, so that sums of lengths fit an int.
      .window = static_cast<int>(std::min(problem.window, problem.seqlen_kv)),
      .o_fp32 = floats("O fp32"),
      .l = floats("l"),
      .m = floats("m"),
      .statistics_columns = row_stride("m")};
}

Scores scores_of(const Program& program) {
  const int s = find_tensor(program, "S");
  return s != kNone && program.tensors[s].role == Role::workspace ? Scores::stored : Scores::exact;
}

int find_tensor(const Program& program, std::string_view name) {
  for (int index = 0; index < program.tensors.count(); ++index) {
    if (program.tensors[index].name == name) return index;
  }
  return kNone;
}

}  // namespace hbmscope
