#include "kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hbmscope {

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    try {
      for (std::int64_t index = next++; index < count; index = next++) work(index);
    } catch (...) {
      next = count;  // the others stop after what they are doing
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    const auto wanted = std::min<std::int64_t>(count, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::jthread> helpers;
    for (std::int64_t index = 1; index < wanted; ++index) helpers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hbmscope
