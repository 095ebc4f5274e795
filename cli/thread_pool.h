#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hbmscope {

// Threads that take tasks in the order in which they were given. Its end drops those that have not begun.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The task must not throw.
  void run(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable something_to_do_;
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hbmscope
