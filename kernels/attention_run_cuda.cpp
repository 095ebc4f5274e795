#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "kernels/attention_params.h"
#include "kernels/attention_run.h"
#include "kernels/cuda/device.h"
#include "kernels/library_gemm.h"
#include "kernels/poison.h"

namespace hbmscope {

static_assert(std::is_same_v<DeviceAddress, CUdeviceptr>);

namespace {

struct LoadedLaunch {
  Module module;
  Kernel kernel;
  LaunchShape shape;
};

using AnyLaunch = std::variant<LoadedLaunch, LibraryGemmRun>;

// Launches give the shared memory of a CTA as a whole; the compiler has already taken what is declared
// statically.
LaunchShape launch_shape(const Program& program, const Launch& launch, const KernelResources& resources) {
  const std::int64_t dynamic = launch.shared_bytes - resources.static_shared_bytes;
  if (dynamic < 0) {
    throw std::logic_error("the kernel of " + std::string(launch.name) +
                           " takes more shared memory than its description says");
  }
  return {.grid_x = static_cast<unsigned>(grid_ctas(program, launch)),
          .threads = static_cast<unsigned>(launch.threads),
          .shared_bytes = static_cast<unsigned>(dynamic)};
}

LoadedLaunch load_launch(const Program& program, const Launch& launch, const CompiledKernels& compiled) {
  if (launch.threads == 0) {
    throw std::logic_error("the program describes no kernel for " + std::string(launch.name));
  }
  const std::string entry(launch.kernel);
  Module module(compiled.cubin);
  const Kernel kernel = module.kernel(entry);
  const LaunchShape shape = launch_shape(program, launch, compiled.resources_of(entry));
  kernel.allow_dynamic_shared_bytes(shape.shared_bytes);
  return {std::move(module), kernel, shape};
}

DeviceAddress address_of(const Program& program, std::string_view name,
                         std::span<const DeviceAddress> addresses) {
  const int index = find_tensor(program, name);
  if (index == kNone) throw std::logic_error("the program has no tensor " + std::string(name));
  return addresses[static_cast<std::size_t>(index)];
}

template <typename T>
std::vector<T> download(DeviceAddress address, Bytes bytes) {
  std::vector<T> values(bytes / sizeof(T));
  copy_to_host(std::as_writable_bytes(std::span(values)), address);
  return values;
}

}  // namespace

struct AttentionRun::State {
  Program program;
  std::vector<AnyLaunch> launches;
  std::vector<KernelResources> resources;
  std::string hash;
  std::string library;
  AttentionParams params{};
  std::vector<DeviceAddress> addresses;

  void load_kernel(const Launch& launch, const KernelCompiler& compiler, int compute_capability);
  void load_gemm(const LibraryGemm& gemm);
};

AttentionRun::AttentionRun(const Program& program, const KernelCompiler& compiler, int compute_capability)
    : state_(std::make_unique<State>()) {
  state_->program = program;
  state_->hash = hbmscope::kernel_hash(program);
  for (const Launch& launch : program.launches) {
    if (launch.library_gemm) {
      state_->load_gemm(*launch.library_gemm);
    } else {
      state_->load_kernel(launch, compiler, compute_capability);
    }
  }
}

void AttentionRun::State::load_kernel(const Launch& launch, const KernelCompiler& compiler,
                                      int compute_capability) {
  const CompiledKernels compiled = compiler.compile(kernel_build(launch), compute_capability);
  launches.emplace_back(load_launch(program, launch, compiled));
  resources.push_back(compiled.resources_of(launch.kernel));
}

void AttentionRun::State::load_gemm(const LibraryGemm& gemm) {
  LibraryGemmRun run(program, gemm);
  library = run.library();
  launches.emplace_back(std::move(run));
}

AttentionRun::~AttentionRun() = default;
AttentionRun::AttentionRun(AttentionRun&&) noexcept = default;
AttentionRun& AttentionRun::operator=(AttentionRun&&) noexcept = default;

void AttentionRun::bind(std::span<const DeviceAddress> addresses) {
  state_->params = attention_params(state_->program, addresses);
  state_->addresses.assign(addresses.begin(), addresses.end());
}

void AttentionRun::launch() const {
  for (std::size_t index = 0; index < state_->launches.size(); ++index) launch(static_cast<int>(index));
}

void AttentionRun::launch(int index) const {
  const AnyLaunch& launch = state_->launches.at(static_cast<std::size_t>(index));
  if (const auto* const gemm = std::get_if<LibraryGemmRun>(&launch)) {
    gemm->launch(state_->addresses);
    return;
  }
  void* arguments[] = {&state_->params};
  const auto& ours = std::get<LoadedLaunch>(launch);
  ours.kernel.launch(ours.shape, arguments);
}

const std::vector<KernelResources>& AttentionRun::kernels() const { return state_->resources; }
const std::string& AttentionRun::kernel_hash() const { return state_->hash; }
const std::string& AttentionRun::library() const { return state_->library; }

void upload_inputs(const Program& program, const AttentionInputs& inputs,
                   std::span<const DeviceAddress> addresses) {
  copy_to_device(address_of(program, "Q", addresses), std::as_bytes(std::span(inputs.q)));
  copy_to_device(address_of(program, "K", addresses), std::as_bytes(std::span(inputs.k)));
  copy_to_device(address_of(program, "V", addresses), std::as_bytes(std::span(inputs.v)));
}

void poison_outputs(const Program& program, std::span<const DeviceAddress> addresses) {
  const std::vector<Bytes> sizes = tensor_bytes(program);
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    const Role role = program.tensors[static_cast<int>(index)].role;
    if (sizes[index] == 0 || role == Role::input) continue;
    check(driver().memset_d8_async(addresses[index], kPoisonByte, sizes[index], nullptr), "cuMemsetD8Async");
  }
}

// The elements of a tensor without what pads its rows.
std::vector<float> without_padding(const std::vector<float>& padded, const Tensor& tensor) {
  std::vector<float> elements;
  for (std::size_t row = 0; row < padded.size(); row += static_cast<std::size_t>(tensor.row_stride)) {
    const auto first = padded.begin() + static_cast<std::ptrdiff_t>(row);
    elements.insert(elements.end(), first, first + static_cast<std::ptrdiff_t>(tensor.columns));
  }
  return elements;
}

Comparison compare_outputs(const Program& program, const Reference& reference,
                           std::span<const DeviceAddress> addresses) {
  check(driver().ctx_synchronize(), "cuCtxSynchronize");  // an error of a kernel shows here
  const std::vector<Bytes> sizes = tensor_bytes(program);
  const auto bytes_of = [&](int tensor) { return sizes[static_cast<std::size_t>(tensor)]; };
  const std::vector<Half> o =
      download<Half>(address_of(program, "O", addresses), bytes_of(find_tensor(program, "O")));
  const int lse_tensor = find_tensor(program, "LSE");
  std::vector<float> lse;
  if (lse_tensor != kNone) {
    lse = without_padding(
        download<float>(addresses[static_cast<std::size_t>(lse_tensor)], bytes_of(lse_tensor)),
        program.tensors[lse_tensor]);
  }
  return compare(program.problem, reference, o, lse);
}

StoredScores download_scores(const Program& program, std::span<const DeviceAddress> addresses) {
  if (scores_of(program) != Scores::stored) throw std::logic_error("the program writes no scores to memory");
  check(driver().ctx_synchronize(), "cuCtxSynchronize");
  const auto s = static_cast<std::size_t>(find_tensor(program, "S"));
  return {download<Half>(addresses[s], tensor_bytes(program)[s]),
          program.tensors[static_cast<int>(s)].row_stride};
}

}  // namespace hbmscope
