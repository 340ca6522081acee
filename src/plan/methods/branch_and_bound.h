#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/simulate/interval_bound.h"

namespace hone {

/// The shortest schedule of a small problem, by going through all of them but those that cannot be shorter.
///
/// Operations are added one at a time, none of them starting before the one added last, each as early as the stream it
/// goes to allows. Links are taken to be idle and memory to have no end, and a device may wait although something could
/// run: no plan is shorter than the shortest of these schedules.
class BranchAndBound {
 public:
  /// An operation of a schedule.
  struct Step {
    OperationId operation;
    std::size_t stream = 0;  // of all streams of all devices
    double start = 0, finish = 0;
  };
  /// Is told of every schedule that is shorter than all before it; says whether to go on.
  using Found = std::function<bool(std::span<const Step>)>;
  /// What came of a search.
  struct Outcome {
    double shortest = 0;    // seconds; what was known before, unless something shorter was found
    bool complete = false;  // nothing is shorter
    std::uint64_t nodes = 0;
  };

  /// The durations must outlive it.
  BranchAndBound(const Durations& durations, Times times);

  /// When to give up.
  struct Limits {
    std::uint64_t nodes = 0;  // partial schedules looked at
    std::function<bool()> is_over;
  };
  /// Looks for schedules shorter than `known`.
  Outcome run(double known, const Limits& limits, const Found& found);
  DeviceId device_of(std::size_t stream) const { return device_of_stream_[stream]; }

 private:
  /// All that counts for what can follow a partial schedule. Of two with the same choices, the one that is nowhere
  /// later is at least as good.
  struct State {
    std::vector<std::uint64_t> choices;
    std::vector<double> times;
  };

  void explore();
  std::vector<Step> children() const;
  void add_children(OperationId operation, std::vector<Step>& steps) const;
  double arrival(OperationId operation, DeviceId device) const;
  bool is_allowed(OperationId operation, DeviceId device) const;
  bool is_hopeless() const;
  bool lacks_room() const;
  bool is_too_long(double seconds) const;
  State state() const;
  bool was_seen();
  void add(const Step& step);
  void remove(const Step& step, double free_before);
  bool is_scheduled(OperationId operation) const { return stream_of_[operation.index()] != kNone; }
  double last_start() const { return steps_.empty() ? 0 : steps_.back().start; }

  static constexpr std::size_t kNone = SIZE_MAX;

  const Durations& durations_;
  const Workload& workload_;
  Times times_;
  bool alike_ = true;  // all streams can do everything in the same time, and transfers are free
  std::vector<DeviceId> device_of_stream_;
  std::vector<double> least_, tails_;  // by operation: its seconds, and those that must follow it
  std::vector<OperationId> by_tail_;   // the longest first
  std::vector<std::size_t> position_;  // by operation: in topological order

  std::vector<Step> steps_;
  std::vector<std::size_t> stream_of_;  // by operation
  std::vector<double> finish_;          // by operation
  std::vector<double> free_;            // by stream: when it has nothing left to do
  std::unordered_map<std::uint64_t, std::vector<State>> seen_;
  std::size_t remembered_ = 0;

  const Found* found_ = nullptr;
  const Limits* limits_ = nullptr;
  Outcome outcome_;
  bool stopped_ = false;
};

}  // namespace hone
