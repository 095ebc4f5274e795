// cuBLAS is column-major: a row-major C = A B is its Cᵀ = Bᵀ Aᵀ over the same memory. So B is its first
// operand and A its second, its m are our columns and its n our rows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/cublas.h"
#include "kernels/cuda/device.h"
#include "kernels/inputs.h"
#include "kernels/library_gemm.h"

namespace hbmscope {

namespace {

constexpr std::size_t kWorkspaceBytes = 32U << 20;  // what PyTorch gives cuBLAS on Hopper
constexpr int kAskedKernels = 64;

struct TileId {
  std::int64_t rows;  // ours
  std::int64_t columns;
  cublasLtMatmulTile_t id;
};

constexpr std::array<TileId, 11> kTileIds{{
    {64, 64, CUBLASLT_MATMUL_TILE_64x64},
    {64, 96, CUBLASLT_MATMUL_TILE_96x64},
    {64, 128, CUBLASLT_MATMUL_TILE_128x64},
    {128, 64, CUBLASLT_MATMUL_TILE_64x128},
    {128, 96, CUBLASLT_MATMUL_TILE_96x128},
    {128, 128, CUBLASLT_MATMUL_TILE_128x128},
    {128, 192, CUBLASLT_MATMUL_TILE_192x128},
    {128, 256, CUBLASLT_MATMUL_TILE_256x128},
    {256, 64, CUBLASLT_MATMUL_TILE_64x256},
    {256, 128, CUBLASLT_MATMUL_TILE_128x256},
    {512, 64, CUBLASLT_MATMUL_TILE_64x512},
}};

cublasLtMatmulTile_t tile_id(const LibraryGemm& gemm) {
  for (const TileId& tile : kTileIds) {
    if (tile.rows == gemm.tile_rows && tile.columns == gemm.tile_columns) return tile.id;
  }
  throw std::logic_error(fmt::format("no cuBLAS tile of {} × {}", gemm.tile_rows, gemm.tile_columns));
}

cudaDataType_t data_type(DataType dtype) {
  if (dtype == DataType::bf16) return CUDA_R_16BF;
  if (dtype == DataType::fp16) return CUDA_R_16F;
  throw std::logic_error("cuBLAS is asked for a type that is neither bf16 nor fp16");
}

// A handle of cublasLt with the function that destroys it.
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

// A tensor as cuBLAS sees it: column-major, hence `columns` rows and one plane for each product.
Owned<cublasLtMatrixLayout_t> make_layout(const Tensor& tensor, DataType dtype) {
  const CublasApi& api = cublas();
  cublasLtMatrixLayout_t layout = nullptr;
  check(api.matrix_layout_create(&layout, data_type(dtype), static_cast<std::uint64_t>(tensor.columns),
                                 static_cast<std::uint64_t>(tensor.rows), tensor.row_stride),
        "cublasLtMatrixLayoutCreate");
  Owned<cublasLtMatrixLayout_t> owned(layout, api.matrix_layout_destroy);
  const auto batch = static_cast<std::int32_t>(tensor.planes);
  const std::int64_t stride = tensor.rows * tensor.row_stride;
  check(api.matrix_layout_set_attribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch),
        "cublasLtMatrixLayoutSetAttribute");
  check(api.matrix_layout_set_attribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                        sizeof stride),
        "cublasLtMatrixLayoutSetAttribute");
  return owned;
}

Owned<cublasLtMatmulDesc_t> make_operation(const LibraryGemm& gemm) {
  const CublasApi& api = cublas();
  cublasLtMatmulDesc_t operation = nullptr;
  check(api.matmul_desc_create(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
  Owned<cublasLtMatmulDesc_t> owned(operation, api.matmul_desc_destroy);
  const cublasOperation_t first = gemm.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(api.matmul_desc_set_attribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
        "cublasLtMatmulDescSetAttribute");
  return owned;
}

bool has_tile(const cublasLtMatmulHeuristicResult_t& offered, cublasLtMatmulTile_t wanted) {
  if (offered.state != CUBLAS_STATUS_SUCCESS) return false;
  std::uint32_t tile = CUBLASLT_MATMUL_TILE_UNDEFINED;
  check(cublas().matmul_algo_config_get_attribute(&offered.algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile,
                                                  sizeof tile, nullptr),
        "cublasLtMatmulAlgoConfigGetAttribute");
  return tile == static_cast<std::uint32_t>(wanted);
}

}  // namespace

struct LibraryGemmRun::State {
  LibraryGemm gemm;
  float scale;
  Owned<cublasLtMatmulDesc_t> operation;
  Owned<cublasLtMatrixLayout_t> a;
  Owned<cublasLtMatrixLayout_t> b;
  Owned<cublasLtMatrixLayout_t> c;
  cublasLtMatmulAlgo_t kernel{};
  DeviceBuffer workspace{kWorkspaceBytes};
  std::string library = cublas_version();

  State(const Program& program, const LibraryGemm& described)
      : gemm(described),
        scale(described.softmax_scale ? softmax_scale(program.problem) : 1.0F),
        operation(make_operation(described)),
        a(make_layout(program.tensors[described.a], program.problem.dtype)),
        b(make_layout(program.tensors[described.b], program.problem.dtype)),
        c(make_layout(program.tensors[described.c], program.problem.dtype)) {}

  std::vector<cublasLtMatmulHeuristicResult_t> offered_kernels() const {
    const CublasApi& api = cublas();
    cublasLtMatmulPreference_t preference = nullptr;
    check(api.matmul_preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    const Owned<cublasLtMatmulPreference_t> owned(preference, api.matmul_preference_destroy);
    check(api.matmul_preference_set_attribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                              &kWorkspaceBytes, sizeof kWorkspaceBytes),
          "cublasLtMatmulPreferenceSetAttribute");
    std::vector<cublasLtMatmulHeuristicResult_t> kernels(kAskedKernels);
    int count = 0;
    check(api.matmul_algo_get_heuristic(cublas_handle(), operation.get(), b.get(), a.get(), c.get(), c.get(),
                                        preference, kAskedKernels, kernels.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    kernels.resize(static_cast<std::size_t>(count));
    return kernels;
  }
};

LibraryGemmRun::LibraryGemmRun(const Program& program, const LibraryGemm& gemm)
    : state_(std::make_unique<State>(program, gemm)) {
  const cublasLtMatmulTile_t wanted = tile_id(gemm);
  const std::vector<cublasLtMatmulHeuristicResult_t> offered = state_->offered_kernels();
  const auto found = std::ranges::find_if(
      offered, [&](const cublasLtMatmulHeuristicResult_t& kernel) { return has_tile(kernel, wanted); });
  if (found == offered.end()) {
    throw std::runtime_error(
        fmt::format("{} offers {} kernels for {} and none has the described tile of {} × {}", state_->library,
                    offered.size(), program.tensors[gemm.c].name, gemm.tile_rows, gemm.tile_columns));
  }
  state_->kernel = found->algo;
}

LibraryGemmRun::~LibraryGemmRun() = default;
LibraryGemmRun::LibraryGemmRun(LibraryGemmRun&&) noexcept = default;
LibraryGemmRun& LibraryGemmRun::operator=(LibraryGemmRun&&) noexcept = default;

void LibraryGemmRun::launch(std::span<const unsigned long long> addresses) const {
  const State& state = *state_;
  const auto pointer = [&](int tensor) {
    return std::bit_cast<void*>(addresses[static_cast<std::size_t>(tensor)]);
  };
  const float none = 0.0F;
  void* const c = pointer(state.gemm.c);
  check(cublas().matmul(cublas_handle(), state.operation.get(), &state.scale, pointer(state.gemm.b),
                        state.b.get(), pointer(state.gemm.a), state.a.get(), &none, c, state.c.get(), c,
                        state.c.get(), &state.kernel, std::bit_cast<void*>(state.workspace.address()),
                        kWorkspaceBytes, nullptr),
        "cublasLtMatmul");
}

const std::string& LibraryGemmRun::library() const { return state_->library; }

}  // namespace hbmscope
