#include "cli/predictions.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <utility>

#include "cli/thread_pool.h"

namespace hbmscope {
namespace {

// What a replay depends on: all of the point but the placement that is measured and the seed of the inputs.
std::string plan_of(const Point& point) {
  Record record{.point = point};
  record.point.placement = 0;
  record.point.seed = 0;
  return point_key(record);
}

}  // namespace

// A plan's prediction, made by one of the threads.
struct Predictions::Job {
  PointContext context;
  Point point;
  std::promise<Record> made;
  std::shared_future<Record> record = made.get_future().share();
};

Predictions::Predictions(const PointWork& work, bool with_rows, std::size_t most_kept)
    : work_(work), with_rows_(with_rows), next_(work.range.begin), most_kept_(most_kept) {
  scratch_.stop = interrupt_flag();
}

Predictions::~Predictions() = default;

Record Predictions::make(const PointContext& context, const Point& point) {
  if (point.l2_mode != L2Mode::replay) return predict_point(context, point, scratch_, with_rows_);
  const std::shared_ptr<Job> job = job_of(context, point);
  if (work_.threads > 1) work_ahead();
  Record record = job->record.get();
  record.point = point;
  forget_old();
  return record;
}

void Predictions::run(const std::shared_ptr<Job>& job) {
  const auto task = [job, with_rows = with_rows_] {
    PredictionScratch scratch;
    scratch.stop = interrupt_flag();
    try {
      job->made.set_value(predict_point(job->context, job->point, scratch, with_rows));
    } catch (...) {
      job->made.set_exception(std::current_exception());
    }
  };
  if (work_.threads < 2) return task();
  if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(work_.threads);
  pool_->run(task);
}

// Starts what has not begun.
std::shared_ptr<Predictions::Job> Predictions::job_of(const PointContext& context, const Point& point) {
  std::string plan = plan_of(point);
  const auto known = jobs_.find(plan);
  if (known != jobs_.end()) return known->second;
  auto job = std::make_shared<Job>();
  job->context = context;
  job->point = point;
  ++replayed_;
  jobs_.emplace(plan, job);
  order_.push_back(std::move(plan));
  run(job);
  return job;
}

// Looks at points until every thread has one to do and one more to begin with; a point that the journal knows
// is not made again.
void Predictions::work_ahead() {
  const auto waiting =
      static_cast<std::size_t>(std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) {
        return job.second->record.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
      }));
  Point point;
  for (std::size_t begun = waiting; next_ < work_.range.end && begun < 2 * work_.threads; ++next_) {
    const PointContext context = work_.points.fill(next_, point);
    if (point.l2_mode != L2Mode::replay) continue;
    if (work_.journal != nullptr && work_.journal->find(point) != nullptr) continue;
    const std::size_t before = replayed_;
    job_of(context, point);
    begun += replayed_ - before;
  }
}

void Predictions::forget_old() {
  const std::size_t ahead = work_.threads > 1 ? 2 * work_.threads : 0;
  while (order_.size() > most_kept_ + ahead) {
    jobs_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace hbmscope
