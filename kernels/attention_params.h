#pragma once

#include <span>

#include "kernels/attention_run.h"
#include "kernels/device/params.h"

namespace hbmscope {

// What the kernels of a program are launched with; `addresses` is in the order of the program's tensors.
AttentionParams attention_params(const Program& program, std::span<const DeviceAddress> addresses);

}  // namespace hbmscope
