#pragma once

#include <string>

namespace hbmscope {

// Version and commit, then what is found at run time: driver, NVRTC and CUPTI, each or why it is absent.
std::string version_text();

// "CUDA 13.0" for 13000.
std::string cuda_version_text(int version);

// "CUPTI 13.0", or why there is none; never throws. version_cuda.cpp asks the library, version_absent.cpp
// answers in a build without a toolkit.
std::string cupti_text();

}  // namespace hbmscope
