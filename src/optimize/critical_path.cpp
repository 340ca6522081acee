// List scheduling by earliest finish time: Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task
// scheduling for heterogeneous computing", 2002 (HEFT), without filling gaps, since the simulator runs what is ready.

#include <algorithm>

#include "core/optimizer.h"
#include "core/work_time.h"

namespace hone {
namespace {

/// How long work takes alone, and data to a device.
class Durations {
 public:
  explicit Durations(const Problem& problem) : problem_(problem), times_(problem.workload, problem.machine) {}

  /// Of a work as a group of its own; the device must be able to run it.
  double seconds(WorkId work, DeviceId device) const {
    const std::size_t kind = problem_.machine.device(device).kind;
    return times_.at(work, kind).alone(problem_.workload.work(work).bytes);
  }
  /// Of moving a buffer, with the link to itself.
  double transfer_seconds(BufferId buffer, DeviceId from, DeviceId to) const {
    if (from == to) return 0;
    const Buffer& moved = problem_.workload.buffer(buffer);
    if (moved.transfer_seconds >= 0) return moved.transfer_seconds;
    return problem_.machine.link(problem_.machine.route(from, to)).seconds(moved.bytes);
  }

 private:
  const Problem& problem_;
  WorkTimes times_;
};

/// Longest path from the start of each work to the end of the graph, on average devices and without transfers.
std::vector<double> seconds_to_the_end(const Problem& problem, const Durations& durations,
                                       const DeviceChoices& choices) {
  const Workload& workload = problem.workload;
  std::vector<double> longest(workload.work_count());
  const std::span<const WorkId> order = workload.topological_order();
  for (auto work = order.rbegin(); work != order.rend(); ++work) {
    double after = 0;
    for (const BufferId output : workload.outputs(*work))
      for (const WorkId reader : workload.readers(output)) after = std::max(after, longest[reader.index()]);
    const std::vector<DeviceId>& devices = choices.devices(choices.choice_of(*work));
    double sum = 0;
    for (const DeviceId device : devices) sum += durations.seconds(*work, device);
    longest[work->index()] = after + sum / static_cast<double>(devices.size());
  }
  return longest;
}

/// Puts works one after another where they finish first.
class EarliestFinish {
 public:
  EarliestFinish(const Problem& problem, const Durations& durations, const DeviceChoices& choices)
      : problem_(problem),
        durations_(durations),
        choices_(choices),
        decided_(choices.count()),
        free_at_(problem.machine.device_count()),
        finish_(problem.workload.work_count()),
        devices_(problem.workload.work_count()) {}

  void place(WorkId work) {
    DeviceId& decided = decided_[choices_.choice_of(work)];
    DeviceId best = decided;
    if (!best.valid())
      best = *std::ranges::min_element(choices_.devices(choices_.choice_of(work)), {},
                                       [&](DeviceId device) { return finish_on(work, device); });
    decided = best;
    devices_[work.index()] = best;
    finish_[work.index()] = finish_on(work, best);
    free_at_[best.index()] = finish_[work.index()];
  }

  const std::vector<DeviceId>& devices() const { return devices_; }

 private:
  double finish_on(WorkId work, DeviceId device) const {
    double start = free_at_[device.index()];
    for (const BufferId input : problem_.workload.inputs(work)) {
      const WorkId producer = problem_.workload.buffer(input).producer;
      if (!producer.valid()) continue;
      const double moving = durations_.transfer_seconds(input, devices_[producer.index()], device);
      start = std::max(start, finish_[producer.index()] + moving);
    }
    return start + durations_.seconds(work, device);
  }

  const Problem& problem_;
  const Durations& durations_;
  const DeviceChoices& choices_;
  std::vector<DeviceId> decided_;  // by choice
  std::vector<double> free_at_;    // by device
  std::vector<double> finish_;     // by work
  std::vector<DeviceId> devices_;  // by work
};

class CriticalPath final : public Optimizer {
 public:
  void run(Search& search) override {
    const Problem& problem = search.problem();
    const Durations durations(problem);
    const DeviceChoices choices(problem);
    const std::vector<double> longest = seconds_to_the_end(problem, durations, choices);
    // Topological first, so that works of no duration still come after what they read.
    const std::span<const WorkId> topological = problem.workload.topological_order();
    std::vector<WorkId> order(topological.begin(), topological.end());
    std::ranges::stable_sort(order, std::greater(), [&](WorkId work) { return longest[work.index()]; });
    EarliestFinish schedule(problem, durations, choices);
    for (const WorkId work : order) schedule.place(work);
    Plan plan = search.start();
    plan.device_of = schedule.devices();
    plan.priority.resize(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      plan.priority[order[rank].index()] = -static_cast<float>(rank);
    search.evaluate(search.task().encode(plan));
  }
};

const OptimizerKind critical_path_kind("critical-path", "what has most ahead of it first, where it finishes first",
                                       [](std::string_view parameters) {
                                         Parameters().parse(parameters);
                                         return std::make_unique<CriticalPath>();
                                       });

}  // namespace
}  // namespace hone
