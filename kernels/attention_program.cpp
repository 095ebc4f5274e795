// The part of attention_run.h that only reads the program.
#include <fmt/format.h>

#include <limits>

#include "kernels/attention_run.h"
#include "sim/error.h"
#include "sim/loops.h"
#include "sim/traffic.h"

namespace hbmscope {

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
