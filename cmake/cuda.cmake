# Sets HBMSCOPE_HAVE_CUDA and HBMSCOPE_CUDA_ROOT and makes hbmscope_cuda_headers, which carries the include folders of
# the toolkit and of CUPTI. Only headers are needed to build: libcuda, NVRTC and CUPTI are opened at run time.
include_guard(GLOBAL)

if(NOT HBMSCOPE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HBMSCOPE_CUDA: '${HBMSCOPE_CUDA}' is not accepted; AUTO, ON or OFF")
endif()
set(HBMSCOPE_HAVE_CUDA OFF)
add_library(hbmscope_cuda_headers INTERFACE)
if(HBMSCOPE_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: off (HBMSCOPE_CUDA=OFF); built without kernels and live counters")
  return()
endif()

set(cuda_roots ${CUDAToolkit_ROOT})  # a folder that was named is the only one looked in
if(NOT cuda_roots)
  set(cuda_roots $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
endif()
set(cuda_missing "")
foreach(header cuda.h nvrtc.h cupti_range_profiler.h cupti_profiler_host.h)  # CUPTI's are there from 12.6 on
  string(MAKE_C_IDENTIFIER HBMSCOPE_FOLDER_OF_${header} variable)
  unset(${variable} CACHE)  # so that a toolkit that came or went since the last run is noticed
  find_path(${variable} ${header} PATHS ${cuda_roots} NO_DEFAULT_PATH
            PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include targets/sbsa-linux/include)
  mark_as_advanced(${variable})
  if(${variable})
    target_include_directories(hbmscope_cuda_headers SYSTEM INTERFACE ${${variable}})
  else()
    list(APPEND cuda_missing ${header})
  endif()
endforeach()

if(NOT cuda_missing)
  set(HBMSCOPE_HAVE_CUDA ON)
  foreach(root IN LISTS cuda_roots)
    cmake_path(IS_PREFIX root ${HBMSCOPE_FOLDER_OF_cuda_h} NORMALIZE is_root)
    if(is_root)
      set(HBMSCOPE_CUDA_ROOT ${root})
      break()
    endif()
  endforeach()
  message(STATUS "CUDA: headers found in ${HBMSCOPE_CUDA_ROOT}")
  # The last place where the libraries are looked for at run time, after LD_LIBRARY_PATH and CUDA_HOME.
  target_compile_definitions(hbmscope_cuda_headers INTERFACE HBMSCOPE_CUDA_ROOT="${HBMSCOPE_CUDA_ROOT}")
  return()
endif()

list(JOIN cuda_missing ", " cuda_missing)
list(JOIN cuda_roots ", " cuda_roots)
string(CONCAT cuda_cure
  "CUDA: no toolkit 12.6 or later (${cuda_missing} not found in ${cuda_roots}). Kernels and live counters need one: "
  "install cuda-toolkit-13-0 (or later) from NVIDIA's package repository "
  "(https://developer.nvidia.com/cuda-downloads), or name a folder: -DCUDAToolkit_ROOT=<folder>.")
if(HBMSCOPE_CUDA STREQUAL "ON")
  message(FATAL_ERROR "${cuda_cure}")
endif()
message(STATUS "${cuda_cure} Building without: predict, sweep, report and recorded counters work.")
