#include "cli/thread_pool.h"

#include <utility>

namespace hbmscope {

ThreadPool::ThreadPool(std::size_t threads) {
  for (std::size_t thread = 0; thread < threads; ++thread) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    tasks_.clear();
  }
  something_to_do_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  something_to_do_.notify_one();
}

void ThreadPool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      something_to_do_.wait(lock, [&] { return ended_ || !tasks_.empty(); });
      if (ended_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace hbmscope
