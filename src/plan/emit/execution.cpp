#include "plan/emit/execution.h"

#include <algorithm>
#include <queue>

#include "base/error.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

/// Brings groups into an order in which producers come before readers and, among those that could come next, the one
/// that started first. Starting times alone do not do: what takes no time starts when its readers do.
class Ordering {
 public:
  Ordering(const Workload& workload, const Plan& plan, const Timeline& timeline)
      : workload_(workload),
        plan_(plan),
        timeline_(timeline),
        operations_of_(plan.group_count()),
        run_of_(plan.group_count()),
        waiting_for_(plan.group_count()),
        stage_of_(plan.group_count()) {
    for (const OperationId operation : workload.topological_order())
      operations_of_[plan.group(operation).index()].push_back(operation);
    for (std::uint32_t run = 0; run < timeline.runs.size(); ++run) run_of_[timeline.runs[run].group.index()] = run;
    for_each_edge([this](GroupId, GroupId to) { ++waiting_for_[to.index()]; });
  }

  Execution run() && {
    for (const Timeline::Run& run : timeline_.runs)
      if (waiting_for_[run.group.index()] == 0) ready_.push(run_of_[run.group.index()]);
    while (!ready_.empty()) {
      const Timeline::Run& run = timeline_.runs[ready_.top()];
      ready_.pop();
      take(run);
    }
    return std::move(execution_);
  }

 private:
  using Runs = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  /// Calls `visit(producer's group, reader's group)` for everything that a group reads of another.
  template <class Visit>
  void for_each_edge_from(GroupId from, Visit visit) const {
    for (const OperationId operation : operations_of_[from.index()])
      for (const BufferId buffer : workload_.outputs(operation))
        for (const OperationId reader : workload_.readers(buffer))
          if (plan_.group(reader) != from) visit(from, plan_.group(reader));
  }

  template <class Visit>
  void for_each_edge(Visit visit) const {
    for (std::size_t group = 0; group < operations_of_.size(); ++group) for_each_edge_from(GroupId(group), visit);
  }

  void take(const Timeline::Run& run) {
    const std::uint32_t stage = stage_of_[run.group.index()];
    for (const OperationId operation : operations_of_[run.group.index()])
      execution_.steps.push_back({.operation = operation, .device = run.device, .stream = run.stream, .stage = stage});
    for_each_edge_from(run.group, [&](GroupId, GroupId to) {
      const std::uint32_t crossings = plan_.device_of[to.index()] == run.device ? 0 : 1;
      stage_of_[to.index()] = std::max(stage_of_[to.index()], stage + crossings);
      if (--waiting_for_[to.index()] == 0) ready_.push(run_of_[to.index()]);
    });
  }

  const Workload& workload_;
  const Plan& plan_;
  const Timeline& timeline_;
  std::vector<std::vector<OperationId>> operations_of_;  // by group
  std::vector<std::uint32_t> run_of_;                    // by group: index into the timeline's runs
  std::vector<std::size_t> waiting_for_;                 // by group: edges from groups not taken yet
  std::vector<std::uint32_t> stage_of_;                  // by group, of those taken
  Runs ready_;
  Execution execution_;
};

}  // namespace

Execution carry_out(const Workload& workload, const Machine& machine, const Plan& plan) {
  Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
  const Timeline timeline = simulator.trace(plan);
  HONE_CHECK(timeline.runs.size() == plan.group_count(), "a plan of {} groups comes to a stop after {}",
             plan.group_count(), timeline.runs.size());
  Execution execution = Ordering(workload, plan, timeline).run();
  HONE_CHECK(execution.steps.size() == workload.operation_count());
  return execution;
}

}  // namespace hone
