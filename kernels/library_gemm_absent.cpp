// Stands in for library_gemm_cublas.cpp in a build without cuBLAS's header.
#include "kernels/library_gemm.h"
#include "sim/error.h"

namespace hbmscope {

namespace {

[[noreturn]] void throw_absent() {
  throw UserError("cuBLAS", "",
                  "this hbmscope was built without cublasLt.h; install it (Debian package libcublas-dev-13-0 "
                  "of https://developer.nvidia.com/cuda-downloads) and build again");
}

}  // namespace

struct LibraryGemmRun::State {};

LibraryGemmRun::LibraryGemmRun(const Program&, const LibraryGemm&) { throw_absent(); }
LibraryGemmRun::~LibraryGemmRun() = default;
LibraryGemmRun::LibraryGemmRun(LibraryGemmRun&&) noexcept = default;
LibraryGemmRun& LibraryGemmRun::operator=(LibraryGemmRun&&) noexcept = default;

void LibraryGemmRun::launch(std::span<const unsigned long long>) const { throw_absent(); }
const std::string& LibraryGemmRun::library() const { throw_absent(); }

}  // namespace hbmscope
