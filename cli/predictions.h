#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "cli/point_work.h"
#include "sim/predict.h"

namespace hbmscope {

class ThreadPool;

// The predictions of a run's points. A closed form takes microseconds and is made when it is asked for. What
// is replayed (--l2 replay) may take seconds: each plan is replayed once, whatever placements and seeds its
// points have, and where there are several threads they work ahead. The latest `most_kept` plans are kept, of
// a few KiB each.
class Predictions {
 public:
  Predictions(const PointWork& work, bool with_rows, std::size_t most_kept = 1024);
  ~Predictions();
  Predictions(const Predictions&) = delete;
  Predictions& operator=(const Predictions&) = delete;

  // As predict_point(). Points are asked for in the order of the run. Throws Stopped when interrupted.
  Record make(const PointContext& context, const Point& point);

  std::size_t replayed() const { return replayed_; }  // plans so far
  std::size_t kept() const { return jobs_.size(); }

 private:
  struct Job;

  void run(const std::shared_ptr<Job>& job);
  std::shared_ptr<Job> job_of(const PointContext& context, const Point& point);
  void work_ahead();
  void forget_old();

  const PointWork& work_;
  bool with_rows_;
  PredictionScratch scratch_;
  std::unordered_map<std::string, std::shared_ptr<Job>> jobs_;  // by plan
  std::deque<std::string> order_;                               // their plans, oldest first
  std::size_t next_;                                            // point at which nobody has looked ahead
  std::size_t replayed_ = 0;
  std::size_t most_kept_;
  std::unique_ptr<ThreadPool> pool_;  // null where one thread is enough
};

}  // namespace hbmscope
