#include "plan/simulate/blame.h"

#include <algorithm>
#include <limits>

#include "plan/problem/group_contents.h"
#include "plan/simulate/summary.h"

namespace hone {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<Blame> blame_for_time(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  std::vector<double> share(plan.group_count(), -1);
  for (const CriticalStep& step : critical_path(problem.workload, plan, timeline))
    share[step.group.index()] = step.seconds + step.waited_seconds;
  std::vector<Blame> blames;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const double seconds = share[plan.group(OperationId(i)).index()];
    if (seconds >= 0) blames.push_back({OperationId(i), seconds});
  }
  return blames;
}

/// What a device holds at the moment when it holds most.
class Peak {
 public:
  Peak(const Problem& problem, const Plan& plan, const Timeline& timeline)
      : workload_(problem.workload),
        plan_(plan),
        contents_(workload_, plan),
        device_(worst_device(problem, timeline)),
        runs_(plan.group_count()),
        sent_until_(workload_.buffer_count(), -1),
        received_from_(workload_.buffer_count(), kNever),
        bytes_(workload_.operation_count()) {
    moment_ = std::ranges::max_element(timeline.levels[device_.index()], {}, &Timeline::Level::bytes)->seconds;
    for (const Timeline::Run& run : timeline.runs) runs_[run.group.index()] = &run;
    for (const Timeline::Transfer& move : timeline.transfers) {
      double& until = sent_until_[move.buffer.index()];
      if (move.from == device_) until = std::max(until, move.finish);
      if (move.to == device_) received_from_[move.buffer.index()] = move.start;
    }
  }

  std::vector<Blame> blames() {
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i) spread(BufferId(i));
    std::vector<Blame> blames;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (bytes_[i] > 0) blames.push_back({OperationId(i), bytes_[i]});
    return blames;
  }

 private:
  static DeviceId worst_device(const Problem& problem, const Timeline& timeline) {
    const auto beyond = [&](std::size_t i) {
      const bool has_limit = problem.objective == Objective::seconds_in_memory;
      return timeline.peak_bytes[i] - (has_limit ? problem.machine.kind(DeviceId(i)).memory_bytes : 0);
    };
    std::size_t worst = 0;
    for (std::size_t i = 1; i < timeline.peak_bytes.size(); ++i)
      if (beyond(i) > beyond(worst)) worst = i;
    return DeviceId(worst);
  }

  /// Whether a group reads a buffer from this device's memory after the moment, or a weight or an input at any time.
  bool reads_later(GroupId group, const Buffer& buffer) const {
    const Timeline::Run& run = *runs_[group.index()];
    if (run.device != device_) return false;
    return !buffer.producer.valid() || (!contents_.runs(group, buffer.producer) && run.finish > moment_);
  }

  /// Blames a buffer on those that could take it away from here, if it is held at the moment.
  void spread(BufferId id) {
    const Buffer& buffer = workload_.buffer(id);
    if (buffer.producer.valid() && !contents_.is_stored(id)) return;
    std::vector<OperationId> to_come;
    for (const OperationId reader : workload_.readers(id))
      if (contents_.any_group_of(reader, [&](GroupId group) { return reads_later(group, buffer); }))
        to_come.push_back(reader);
    if (buffer.producer.valid() && !is_held(id, !to_come.empty())) return;
    for (const OperationId reader : to_come)
      bytes_[reader.index()] += buffer.bytes / static_cast<double>(to_come.size());
    if (buffer.producer.valid()) bytes_[buffer.producer.index()] += buffer.bytes;
  }

  bool is_held(BufferId id, bool is_read_later) const {
    const Buffer& buffer = workload_.buffer(id);
    if (buffer.alias_of.valid()) return is_read_later;
    const Timeline::Run& producer = *runs_[plan_.group(buffer.producer).index()];
    if (producer.device != device_) return received_from_[id.index()] <= moment_ && is_read_later;
    return producer.start <= moment_ &&
           (buffer.is_output || is_read_later || producer.finish > moment_ || sent_until_[id.index()] > moment_);
  }

  const Workload& workload_;
  const Plan& plan_;
  GroupContents contents_;
  DeviceId device_;
  double moment_ = 0;
  std::vector<const Timeline::Run*> runs_;  // by group
  std::vector<double> sent_until_;          // by buffer: from the device
  std::vector<double> received_from_;       // by buffer: when its transfer to the device started
  std::vector<double> bytes_;               // by operation
};

}  // namespace

std::vector<Blame> blame_for(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  const Cost& cost = timeline.cost;
  if (timeline.runs.empty() || cost.obstacle == Obstacle::device || cost.obstacle == Obstacle::cycle) return {};
  const bool memory_counts = problem.objective == Objective::peak_bytes ||
                             (problem.objective == Objective::seconds_in_memory && !cost.feasible());
  return memory_counts ? Peak(problem, plan, timeline).blames() : blame_for_time(problem, plan, timeline);
}

}  // namespace hone
