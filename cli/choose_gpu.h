#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu.h"
#include "sim/record.h"

namespace hbmscope {

// A GPU by name or file (load_gpu), or for "auto" the description of the installed one. Throws UserError
// (--gpu) for what does not exist, and for "auto" without a GPU or with one that nobody has described.
GpuSpec choose_gpu(std::string_view name);

// Whether one of the GPUs is called so: rows tell them apart by name.
bool has_name(const std::vector<GpuSpec>& gpus, std::string_view name);

// Every GPU with every combination of settings, one from each of `settings`; equal values, such as 60MiB and
// 61440KiB, count once. Throws UserError (--set) for what a GPU does not take (change_gpu), and for more than
// kLargestChangedGpus.
inline constexpr std::size_t kLargestChangedGpus = 1000;
std::vector<GpuSpec> changed_gpus(std::vector<GpuSpec> gpus,
                                  const std::vector<std::vector<std::string>>& settings);

// Whether `gpu` describes the GPU that a driver calls `driver_name`.
bool describes(const GpuSpec& gpu, std::string_view driver_name);

// Descriptions of the GPUs that the records name. A GPU that was described by a file is known by name only,
// and its roofs are left out of the page.
std::vector<GpuSpec> gpus_of(const std::vector<Record>& records);

}  // namespace hbmscope
