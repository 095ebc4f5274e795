#pragma once

#include <cstdint>
#include <functional>

namespace hbmscope {

// Calls work(0) … work(count - 1) from as many threads as the machine has, each index once, in no order. An
// exception of one call is thrown here after all threads have ended.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace hbmscope
