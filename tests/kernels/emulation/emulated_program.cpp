#include "tests/kernels/emulation/emulated_program.h"

#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>

#include "kernels/poison.h"

namespace hbmscope {
namespace {

using emulation::Instance;

std::string description(const KernelBuild& build) {
  std::string text = build.kernel;
  for (const KernelMacro& macro : build.macros) text += " " + macro.name + "=" + macro.value;
  return text;
}

bool is_of(const Instance& instance, const KernelBuild& build) {
  if (instance.kernel != build.kernel) return false;
  for (const KernelMacro& macro : build.macros) {
    const auto found = instance.macros.find(macro.name);
    if (found == instance.macros.end() || std::to_string(found->second) != macro.value) return false;
  }
  return true;
}

const Instance& find_instance(const Launch& launch) {
  const KernelBuild build = kernel_build(launch);
  for (const Instance& instance : emulation::instances()) {
    if (is_of(instance, build)) return instance;
  }
  throw std::runtime_error("CMakeLists.txt has no emulated_kernel " + description(build));
}

}  // namespace

EmulatedProgram::EmulatedProgram(const Program& program, const AttentionInputs& inputs) : program_(program) {
  std::vector<DeviceAddress> addresses;
  for (const Bytes bytes : tensor_bytes(program)) {
    tensors_.emplace_back(bytes, std::byte{kPoisonByte});
    addresses.push_back(std::bit_cast<DeviceAddress>(tensors_.back().data()));
  }
  const auto fill = [&](std::string_view name, const std::vector<Half>& values) {
    std::memcpy(tensors_[static_cast<std::size_t>(find_tensor(program, name))].data(), values.data(),
                values.size() * sizeof(Half));
  };
  fill("Q", inputs.q);
  fill("K", inputs.k);
  fill("V", inputs.v);
  params_ = attention_params(program, addresses);
}

emulation::Counts EmulatedProgram::launch(int index, emulation::CopyTime copy_time) {
  const Launch& launch = program_.launches[index];
  emulation::Launch emulated{.blocks = static_cast<unsigned>(grid_ctas(program_, launch)),
                             .threads = static_cast<unsigned>(launch.threads),
                             .shared_bytes = static_cast<std::size_t>(launch.shared_bytes),
                             .copy_time = copy_time,
                             .memory = {}};
  for (const auto& tensor : tensors_) emulated.memory.push_back({tensor.data(), tensor.size()});
  return emulation::run(emulated, find_instance(launch).run, &params_);
}

StoredScores EmulatedProgram::stored_scores() const {
  const int s = find_tensor(program_, "S");
  const auto& bytes = tensors_[static_cast<std::size_t>(s)];
  StoredScores stored{std::vector<Half>(bytes.size() / sizeof(Half)), program_.tensors[s].row_stride};
  std::memcpy(stored.s.data(), bytes.data(), bytes.size());
  return stored;
}

template <typename T>
std::vector<T> EmulatedProgram::without_padding(std::string_view name) const {
  const int index = find_tensor(program_, name);
  if (index == kNone) return {};
  const Tensor& tensor = program_.tensors[index];
  const auto& bytes = tensors_[static_cast<std::size_t>(index)];
  const auto columns = static_cast<std::size_t>(tensor.columns);
  std::vector<T> values;
  for (std::size_t row = 0; row < bytes.size();
       row += static_cast<std::size_t>(tensor.row_stride) * sizeof(T)) {
    values.resize(values.size() + columns);
    std::memcpy(values.data() + values.size() - columns, bytes.data() + row, columns * sizeof(T));
  }
  return values;
}

template std::vector<Half> EmulatedProgram::without_padding(std::string_view) const;
template std::vector<float> EmulatedProgram::without_padding(std::string_view) const;

}  // namespace hbmscope
