#pragma once

#include <cuda.h>

#include "kernels/device_error.h"
#include "kernels/gpu.h"  // gpu_absence_reason(): whether driver() would throw

namespace hbmscope {

// The CUDA driver API, resolved from libcuda.so.1 at run time. A member has its function's name without "cu"
// and with the type that cuda.h gives it; the symbol is the version of the function that cuda.h declares, so
// that a driver with older functions of the same name is not called by mistake.
//   X(member, declaration in cuda.h, exported symbol)
#define HBMSCOPE_DRIVER_FUNCTIONS(X)                                                       \
  X(get_error_name, cuGetErrorName, "cuGetErrorName")                                      \
  X(get_error_string, cuGetErrorString, "cuGetErrorString")                                \
  X(init, cuInit, "cuInit")                                                                \
  X(driver_get_version, cuDriverGetVersion, "cuDriverGetVersion")                          \
  X(device_get_count, cuDeviceGetCount, "cuDeviceGetCount")                                \
  X(device_get, cuDeviceGet, "cuDeviceGet")                                                \
  X(device_get_name, cuDeviceGetName, "cuDeviceGetName")                                   \
  X(device_get_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                    \
  X(device_total_mem, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                             \
  X(device_primary_ctx_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")       \
  X(device_primary_ctx_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") \
  X(ctx_set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                                   \
  X(ctx_synchronize, cuCtxSynchronize, "cuCtxSynchronize")                                 \
  X(mem_get_info, cuMemGetInfo, "cuMemGetInfo_v2")                                         \
  X(mem_alloc, cuMemAlloc, "cuMemAlloc_v2")                                                \
  X(mem_free, cuMemFree, "cuMemFree_v2")                                                   \
  X(memcpy_host_to_device, cuMemcpyHtoD, "cuMemcpyHtoD_v2")                                \
  X(memcpy_device_to_host, cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                \
  X(memset_d8_async, cuMemsetD8Async, "cuMemsetD8Async")                                   \
  X(module_load_data, cuModuleLoadData, "cuModuleLoadData")                                \
  X(module_unload, cuModuleUnload, "cuModuleUnload")                                       \
  X(module_get_function, cuModuleGetFunction, "cuModuleGetFunction")                       \
  X(func_set_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")                          \
  X(launch_kernel, cuLaunchKernel, "cuLaunchKernel")                                       \
  X(event_create, cuEventCreate, "cuEventCreate")                                          \
  X(event_destroy, cuEventDestroy, "cuEventDestroy_v2")                                    \
  X(event_record, cuEventRecord, "cuEventRecord")                                          \
  X(event_synchronize, cuEventSynchronize, "cuEventSynchronize")                           \
  X(event_elapsed_time, cuEventElapsedTime, "cuEventElapsedTime")

struct DriverApi {
#define HBMSCOPE_DECLARE(member, declaration, symbol) decltype(&declaration) member = nullptr;
  HBMSCOPE_DRIVER_FUNCTIONS(HBMSCOPE_DECLARE)
#undef HBMSCOPE_DECLARE
};

// Opens libcuda.so.1 and calls cuInit on first use; later calls are free. Throws UserError when there is no
// driver or no GPU, saying which of the two.
const DriverApi& driver();

// Throws DeviceError naming the call: check(driver().mem_alloc(&address, bytes), "cuMemAlloc").
void check(CUresult result, const char* call);

// 13000 for CUDA 13.0: the newest CUDA that the driver supports.
int driver_cuda_version();

}  // namespace hbmscope
