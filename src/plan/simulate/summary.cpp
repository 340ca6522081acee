#include "plan/simulate/summary.h"

#include <algorithm>
#include <map>

#include "plan/problem/group_contents.h"

namespace hone {
namespace {

using Run = Timeline::Run;
using Transfer = Timeline::Transfer;

/// Finds out, for any run, which run made it start when it did.
class Causes {
 public:
  Causes(const Workload& workload, const Plan& plan, const Timeline& timeline)
      : workload_(workload),
        plan_(plan),
        timeline_(timeline),
        contents_(workload, plan),
        run_of_(plan.group_count()),
        before_on_device_(timeline.runs.size()) {
    std::map<DeviceId, std::map<double, const Run*>> finished;
    for (const Run& run : timeline.runs) {
      run_of_[run.group.index()] = &run;
      const auto& done = finished[run.device];
      const auto at = done.find(run.start);
      before_on_device_[index_of(run)] = at == done.end() ? nullptr : at->second;
      if (run.finish > run.start) finished[run.device][run.finish] = &run;
    }
    for (const Transfer& transfer : timeline.transfers) arrival_[{transfer.buffer, transfer.to}] = &transfer;
  }

  const Run* run_of(GroupId group) const { return run_of_[group.index()]; }

  /// What delivered the last of the run's inputs, if it started right then; else what its device did just before.
  const Run* cause_of(const Run& run) const {
    const Run* latest = nullptr;
    double arrived = -1;
    for (const OperationId operation : contents_.instances(run.group)) {
      for (const BufferId input : workload_.inputs(operation)) {
        const OperationId producer = workload_.buffer(input).producer;
        if (!producer.valid() || contents_.runs(run.group, producer)) continue;
        const Run* source = run_of(plan_.group(producer));
        const double here = source->device == run.device ? source->finish : arrival_.at({input, run.device})->finish;
        if (here > arrived) arrived = here, latest = source;
      }
    }
    return arrived >= run.start || before_on_device_[index_of(run)] == nullptr ? latest
                                                                               : before_on_device_[index_of(run)];
  }

 private:
  std::size_t index_of(const Run& run) const { return static_cast<std::size_t>(&run - timeline_.runs.data()); }

  const Workload& workload_;
  const Plan& plan_;
  const Timeline& timeline_;
  GroupContents contents_;
  std::vector<const Run*> run_of_;            // by group
  std::vector<const Run*> before_on_device_;  // by run: one that finished just when it started
  std::map<std::pair<BufferId, DeviceId>, const Transfer*> arrival_;
};

}  // namespace

std::vector<DeviceSummary> summarize(const Machine& machine, const Timeline& timeline) {
  std::vector<DeviceSummary> summaries(machine.device_count());
  for (const Run& run : timeline.runs) {
    ++summaries[run.device.index()].groups;
    summaries[run.device.index()].busy_seconds += run.finish - run.start;
  }
  for (const Transfer& transfer : timeline.transfers)
    summaries[transfer.from.index()].sending_seconds += transfer.finish - transfer.start;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const auto streams = static_cast<double>(machine.kind(DeviceId(i)).streams);
    summaries[i].idle_seconds = streams * timeline.cost.seconds - summaries[i].busy_seconds;
    summaries[i].peak_bytes = timeline.peak_bytes[i];
  }
  return summaries;
}

std::vector<CriticalStep> critical_path(const Workload& workload, const Plan& plan, const Timeline& timeline) {
  if (timeline.runs.empty()) return {};
  const Causes causes(workload, plan, timeline);
  std::vector<CriticalStep> path;
  const Run* run = &*std::ranges::max_element(timeline.runs, {}, &Run::finish);
  while (run != nullptr && path.size() < timeline.runs.size()) {
    const Run* cause = causes.cause_of(*run);
    path.push_back({run->group, run->start - (cause == nullptr ? 0 : cause->finish), run->finish - run->start});
    run = cause;
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<CriticalShare> critical_shares(const Workload& workload, const Plan& plan,
                                           const std::vector<CriticalStep>& path) {
  const GroupContents contents(workload, plan);
  std::map<std::string, CriticalShare> by_op;
  const auto add = [&](const std::string& op, double seconds) {
    CriticalShare& share = by_op[op];
    share.op = op;
    ++share.groups;
    share.seconds += seconds;
  };
  for (const CriticalStep& step : path) {
    add(contents.text(step.group), step.seconds);
    if (step.waited_seconds > 0) add("transfer", step.waited_seconds);
  }
  std::vector<CriticalShare> shares;
  for (auto& entry : by_op) shares.push_back(std::move(entry.second));
  std::ranges::stable_sort(shares, std::greater(), &CriticalShare::seconds);
  return shares;
}

}  // namespace hone
