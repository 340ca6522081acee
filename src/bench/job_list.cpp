#include "bench/job_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "base/progress.h"
#include "base/progress_line.h"
#include "base/thread_pool.h"
#include "bench/finished_rows.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

class JobRun {
 public:
  JobRun(std::string_view case_name, const BenchOptions& options, std::vector<BenchJob> jobs)
      : jobs_(std::move(jobs)), finished_(case_name, options.store) {}

  void run() {
    std::erase_if(jobs_, [&](const BenchJob& job) {
      const std::optional<Json> known = finished_.find(job.request);
      if (known) job.take(*known);
      return known.has_value();
    });
    std::ranges::stable_sort(jobs_, std::greater(), &BenchJob::length);
    progress_.emplace(jobs_.size());
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    pool.for_each(jobs_.size(), [&](std::size_t, std::size_t i) { run_one(jobs_[i]); });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// A pool must not see exceptions: the first one is kept for the caller.
  void run_one(const BenchJob& job) {
    try {
      const Json outcome = job.run();
      const std::lock_guard lock(mutex_);
      job.take(outcome);
      finished_.add(job.graph, job.request, outcome);
      show(job, outcome);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void show(const BenchJob& job, const Json& outcome) {
    ++done_;
    progress_->show(done_, fmt::format("{} of {} searches, {}", done_, jobs_.size(), job.told(outcome)),
                    job.standing ? job.standing() : "");
    if (done_ == jobs_.size()) keep_progress();
  }

  std::vector<BenchJob> jobs_;
  FinishedRows finished_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t done_ = 0;
  std::optional<CountedProgress> progress_;
};

}  // namespace

void run_jobs(std::string_view case_name, const BenchOptions& options, std::vector<BenchJob> jobs) {
  JobRun(case_name, options, std::move(jobs)).run();
}

}  // namespace hone
