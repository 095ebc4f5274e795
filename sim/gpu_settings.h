#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu.h"

namespace hbmscope {

// A number of a GPU that may be set to another value, to ask what that would change. This table is the only
// list of them: --set, names such as "h200+l2.capacity=100MiB" and the help read it.
struct GpuSetting {
  std::string_view key;   // "l2.capacity"
  std::string_view unit;  // "bytes", "bytes/s", "Hz", "number"
  std::string_view what;
  std::optional<double> (*value)(const GpuSpec& gpu);  // absent where the GPU's is not known
  // Returns "" or, for a value that does not fit the GPU's other numbers, what is accepted.
  std::string (*change)(GpuSpec& gpu, const SourcedValue& value);
};
std::span<const GpuSetting> gpu_settings();

// What is accepted in each unit: "bytes: whole bytes from …".
std::vector<std::string> accepted_setting_values();

// A value in the unit that reads shortest, without rounding: "60MiB", "4.8TB/s".
std::string setting_text(const GpuSetting& setting, double value);

// Sets one number, "l2.capacity=100MiB", and nothing that depends on it; notes it among the GPU's changes and
// in its name, as setting_text() writes the value. Throws UserError naming `option` for an unknown key, a
// wrong unit, a value out of range, and a key that was set before.
void change_gpu(GpuSpec& gpu, std::string_view option, const std::string& setting);

}  // namespace hbmscope
