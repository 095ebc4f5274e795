# Decides whether the CUDA side is built: HBMSCOPE_CUDA=AUTO (default: when the toolkit's headers are found), ON (an
# error when they are not) or OFF. Only headers are needed; libcuda, NVRTC and CUPTI are opened at run time.
#
# Sets HBMSCOPE_HAVE_CUDA and, when it is true, defines the interface target hbmscope_cuda_headers, which carries the
# include directories of the toolkit and of CUPTI.
include_guard(GLOBAL)

set(HBMSCOPE_CUDA AUTO CACHE STRING "Build the CUDA side: AUTO, ON or OFF")
set_property(CACHE HBMSCOPE_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT HBMSCOPE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HBMSCOPE_CUDA: '${HBMSCOPE_CUDA}' is not accepted; AUTO, ON or OFF")
endif()

set(HBMSCOPE_HAVE_CUDA FALSE)
if(NOT HBMSCOPE_CUDA STREQUAL OFF)
  set(hbmscope_cuda_roots $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
  find_path(HBMSCOPE_CUDA_INCLUDE_DIR NAMES cuda.h HINTS ${hbmscope_cuda_roots}
            PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(HBMSCOPE_NVRTC_INCLUDE_DIR NAMES nvrtc.h HINTS ${HBMSCOPE_CUDA_INCLUDE_DIR} ${hbmscope_cuda_roots}
            PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(HBMSCOPE_CUPTI_INCLUDE_DIR NAMES cupti_range_profiler.h
            HINTS ${HBMSCOPE_CUDA_INCLUDE_DIR} ${hbmscope_cuda_roots}
            PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
  if(HBMSCOPE_CUDA_INCLUDE_DIR AND HBMSCOPE_NVRTC_INCLUDE_DIR AND HBMSCOPE_CUPTI_INCLUDE_DIR)
    set(HBMSCOPE_HAVE_CUDA TRUE)
  elseif(HBMSCOPE_CUDA STREQUAL ON)
    message(FATAL_ERROR
      "HBMSCOPE_CUDA=ON, but cuda.h, nvrtc.h or cupti_range_profiler.h was not found. Install the CUDA toolkit 12.6 or "
      "newer (Debian 12: https://developer.nvidia.com/cuda-downloads, packages cuda-nvrtc-dev-13-0, cuda-cupti-dev-13-0 "
      "and cuda-driver-dev-13-0) or set CUDA_HOME to it.")
  endif()
endif()

if(HBMSCOPE_HAVE_CUDA)
  message(STATUS "CUDA side: on (${HBMSCOPE_CUDA_INCLUDE_DIR})")
  add_library(hbmscope_cuda_headers INTERFACE)
  target_include_directories(hbmscope_cuda_headers SYSTEM INTERFACE
    ${HBMSCOPE_CUDA_INCLUDE_DIR} ${HBMSCOPE_NVRTC_INCLUDE_DIR} ${HBMSCOPE_CUPTI_INCLUDE_DIR})
else()
  message(STATUS "CUDA side: off (HBMSCOPE_CUDA=${HBMSCOPE_CUDA}); the model, the reports and their tests are built. "
                 "For the kernels and counters install the CUDA toolkit 12.6 or newer, or set CUDA_HOME.")
endif()
