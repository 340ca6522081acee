// First in, first out: of all that is ready, what became ready first. The order that GO (Zhou et al., NeurIPS 2020)
// compares with. When something becomes ready depends on the order itself, so that it is found in rounds.

#include <algorithm>
#include <map>

#include "base/distinct.h"
#include "plan/problem/group_contents.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

constexpr int kMostRounds = 16;

/// By group: when the last of what it reads from elsewhere is where it runs.
std::vector<double> ready_seconds(const Workload& workload, const Plan& plan, const Timeline& timeline) {
  std::vector<double> finish(plan.group_count()), ready(plan.group_count());
  for (const Timeline::Run& run : timeline.runs) finish[run.group.index()] = run.finish;
  std::map<std::pair<BufferId, DeviceId>, double> arrival;
  for (const Timeline::Transfer& transfer : timeline.transfers)
    arrival[{transfer.buffer, transfer.to}] = transfer.finish;
  const GroupContents contents(workload, plan);
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (const BufferId buffer : contents.reads(GroupId(i))) {
      const OperationId producer = workload.buffer(buffer).producer;
      if (!producer.valid()) continue;
      const auto moved = arrival.find({buffer, plan.device_of[i]});
      const double here = moved == arrival.end() ? finish[plan.group(producer).index()] : moved->second;
      ready[i] = std::max(ready[i], here);
    }
  return ready;
}

/// Priorities in this order, the earliest the highest; equal ones stay equal.
std::vector<float> earliest_first(const std::vector<double>& ready) {
  const std::vector<double> times = distinct(ready);
  std::vector<float> priorities;
  for (const double time : ready)
    priorities.push_back(-static_cast<float>(std::ranges::lower_bound(times, time) - times.begin()));
  return priorities;
}

/// The best plan so far with what is ready earlier before what is ready later; of what is ready at the same time the
/// simulator takes the first in topological order.
class FirstInFirstOut final : public Optimizer {
 public:
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    Plan plan = search.best_plan();
    plan.priority.assign(plan.group_count(), 0);
    Decisions decisions = search.task().encode(plan);
    for (int round = 0; round < kMostRounds; ++round) {
      const std::optional<Timeline> timeline = search.trace(decisions);
      search.task().apply(decisions, plan);
      if (!timeline || timeline->runs.size() != plan.group_count()) return;
      plan.priority = earliest_first(ready_seconds(search.problem().workload, plan, *timeline));
      Decisions next = search.task().encode(plan);
      if (next == decisions) return;  // the order leads to itself
      decisions = std::move(next);
    }
  }
};

const OptimizerKind fifo_kind = OptimizerKind::without_parameters<FirstInFirstOut>(
    "fifo", "of what can start what could first, on the devices of the best plan so far");

}  // namespace
}  // namespace hone
