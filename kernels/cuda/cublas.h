#pragma once

#include <cublasLt.h>

#include <string>

namespace hbmscope {

// cublasLt, resolved from libcublasLt.so at run time. A member has its function's name without "cublasLt" and
// with the type that cublasLt.h gives it.
//   X(member, function)
#define HBMSCOPE_CUBLAS_FUNCTIONS(X)                                        \
  X(create, cublasLtCreate)                                                 \
  X(get_version, cublasLtGetVersion)                                        \
  X(get_status_string, cublasLtGetStatusString)                             \
  X(matmul, cublasLtMatmul)                                                 \
  X(matmul_algo_get_heuristic, cublasLtMatmulAlgoGetHeuristic)              \
  X(matmul_algo_config_get_attribute, cublasLtMatmulAlgoConfigGetAttribute) \
  X(matmul_desc_create, cublasLtMatmulDescCreate)                           \
  X(matmul_desc_destroy, cublasLtMatmulDescDestroy)                         \
  X(matmul_desc_set_attribute, cublasLtMatmulDescSetAttribute)              \
  X(matmul_preference_create, cublasLtMatmulPreferenceCreate)               \
  X(matmul_preference_destroy, cublasLtMatmulPreferenceDestroy)             \
  X(matmul_preference_set_attribute, cublasLtMatmulPreferenceSetAttribute)  \
  X(matrix_layout_create, cublasLtMatrixLayoutCreate)                       \
  X(matrix_layout_destroy, cublasLtMatrixLayoutDestroy)                     \
  X(matrix_layout_set_attribute, cublasLtMatrixLayoutSetAttribute)

struct CublasApi {
#define HBMSCOPE_DECLARE(member, function) decltype(&function) member = nullptr;
  HBMSCOPE_CUBLAS_FUNCTIONS(HBMSCOPE_DECLARE)
#undef HBMSCOPE_DECLARE
};

// Opens the library on first use; later calls are free. Throws UserError when there is none, with what was
// looked for and how to get it.
const CublasApi& cublas();

// For the GPU whose context is current when it is first called. Throws as cublas() and check() do.
cublasLtHandle_t cublas_handle();

// Throws DeviceError naming the call.
void check(cublasStatus_t status, const char* call);

// "cuBLAS 13.1.0"
std::string cublas_version();

}  // namespace hbmscope
