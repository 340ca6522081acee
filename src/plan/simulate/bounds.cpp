#include "plan/simulate/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plan/problem/operation_time.h"
#include "plan/simulate/least_cut.h"

namespace hone {
namespace {

constexpr double kRoundedDown = 1 - 1e-9;
constexpr std::size_t kCuts = 128;      // works whose cut is looked at, evenly spread
constexpr std::size_t kLeastCuts = 64;  // works at which the given order takes most, whose least cut is looked for

/// Seconds a work adds to its group wherever it runs. Without fusion that is its time alone. With fusion, the time of a
/// group is at least the sum over its works of stated and compute seconds (see WorkTime).
std::vector<double> least_seconds(const Workload& workload, const Machine& machine, Fusion fusion) {
  const WorkTimes times(workload, machine);
  std::vector<double> least(workload.work_count(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < least.size(); ++i) {
    for (const Device& device : machine.devices) {
      const WorkTime& time = times.at(WorkId(i), device.kind);
      const double seconds = fusion == Fusion::none ? time.alone(workload.work(WorkId(i)).bytes)
                                                    : time.stated_seconds + time.compute_seconds;
      if (seconds < least[i]) least[i] = seconds;  // false for a device that cannot run it
    }
  }
  return least;
}

/// By work: what must pass before it starts and after it has ended.
std::vector<BoundedWork> bounded_works(const Workload& workload, const std::vector<double>& least) {
  std::vector<BoundedWork> works(least.size());
  const std::span<const WorkId> order = workload.topological_order();
  for (const WorkId work : order) {
    BoundedWork& self = works[work.index()];
    self.seconds = least[work.index()];
    for (const BufferId input : workload.inputs(work))
      if (const WorkId producer = workload.buffer(input).producer; producer.valid())
        self.before = std::max(self.before, works[producer.index()].before + least[producer.index()]);
  }
  for (auto work = order.rbegin(); work != order.rend(); ++work)
    for (const BufferId output : workload.outputs(*work))
      for (const WorkId reader : workload.readers(output)) {
        double& after = works[work->index()].after;
        after = std::max(after, works[reader.index()].after + least[reader.index()]);
      }
  return works;
}

/// Proof: works on a path run one after another, or in one group. A path enters each group once, as groups that wait
/// for one another never run; a group takes at least the sum of its works' least seconds, and transfers take no less
/// than 0.
double critical_path(const std::vector<BoundedWork>& works) {
  double longest = 0;
  for (const BoundedWork& work : works) longest = std::max(longest, work.before + work.seconds);
  return longest;
}

double streams_of(const Machine& machine) {
  double streams = 0;
  for (const Device& device : machine.devices) streams += static_cast<double>(machine.kinds[device.kind].streams);
  return streams;
}

/// Proof: the busy seconds of all streams add up to at least the least seconds of all works, and no stream is busy for
/// longer than the makespan.
double total_work(const Machine& machine, const std::vector<double>& least) {
  double work = 0;
  for (const double seconds : least) work += seconds;
  return work / streams_of(machine);
}

/// Adds up buffers that are alive at one time. A buffer lives in its own memory or in that of one it is an alias of, so
/// it accounts for at least the smallest along that chain; buffers whose chains end in different roots live in
/// different memory, and of those that share a root the largest counts.
class LiveSet {
 public:
  explicit LiveSet(const Workload& workload) : workload_(workload), counted_(workload.buffer_count()) {}

  void add(BufferId buffer) {
    double bytes = std::ceil(workload_.buffer(buffer).bytes);
    BufferId root = buffer;
    for (BufferId up = workload_.buffer(buffer).alias_of; up.valid(); up = workload_.buffer(up).alias_of) {
      bytes = std::min(bytes, std::ceil(workload_.buffer(up).bytes));
      root = up;
    }
    double& counted = counted_[root.index()];
    if (counted == 0) roots_.push_back(root);
    if (bytes <= counted) return;
    total_ += bytes - counted;
    counted = bytes;
  }
  double total() const { return total_; }
  void clear() {
    for (const BufferId root : roots_) counted_[root.index()] = 0;
    roots_.clear();
    total_ = 0;
  }

 private:
  const Workload& workload_;
  std::vector<double> counted_;  // by root
  std::vector<BufferId> roots_;
  double total_ = 0;
};

bool is_resident(const Workload& workload, BufferId buffer) { return !workload.buffer(buffer).producer.valid(); }

/// Proof: while a work runs, everything it reads and writes lies on its device. When it may be part of a group, its
/// other inputs and outputs may be internal; weights, inputs and results never are.
double working_set(const Workload& workload, Fusion fusion) {
  LiveSet live(workload);
  double largest = 0;
  for (std::size_t i = 0; i < workload.work_count(); ++i) {
    live.clear();
    for (const BufferId input : workload.inputs(WorkId(i)))
      if (fusion == Fusion::none || is_resident(workload, input)) live.add(input);
    for (const BufferId output : workload.outputs(WorkId(i)))
      if (fusion == Fusion::none || workload.buffer(output).is_output) live.add(output);
    largest = std::max(largest, live.total());
  }
  return largest;
}

void add_read_residents(const Workload& workload, LiveSet& live) {
  for (std::size_t i = 0; i < workload.buffer_count(); ++i)
    if (is_resident(workload, BufferId(i)) && !workload.readers(BufferId(i)).empty()) live.add(BufferId(i));
}

/// Proof: at the end, each weight and input that is read lies on some device and each result on its producer's. The
/// fullest device holds no less than the average.
double kept(const Workload& workload) {
  LiveSet live(workload);
  add_read_residents(workload, live);
  for (std::size_t i = 0; i < workload.buffer_count(); ++i)
    if (!is_resident(workload, BufferId(i)) && workload.buffer(BufferId(i)).is_output) live.add(BufferId(i));
  return live.total();
}

/// Works from which `from` can be reached, by producers, or that can be reached from it, by readers.
enum class Direction { ancestors, descendants };
std::vector<char> reach(const Workload& workload, WorkId from, Direction direction) {
  std::vector<char> seen(workload.work_count());
  std::vector<WorkId> open = {from};
  const auto visit = [&](WorkId work) {
    if (!work.valid() || seen[work.index()] != 0) return;
    seen[work.index()] = 1;
    open.push_back(work);
  };
  while (!open.empty()) {
    const WorkId work = open.back();
    open.pop_back();
    if (direction == Direction::ancestors) {
      for (const BufferId input : workload.inputs(work)) visit(workload.buffer(input).producer);
    } else {
      for (const BufferId output : workload.outputs(work))
        for (const WorkId reader : workload.readers(output)) visit(reader);
    }
  }
  return seen;
}

/// Proof: when a work starts, its ancestors have ended and neither it nor its descendants have. What an ancestor made
/// and one of those still reads is alive on some device, as are all weights and inputs, results of ancestors, and the
/// outputs of the work itself. The fullest device holds no less than the average.
double cut_at(const Workload& workload, WorkId work, LiveSet& live) {
  const std::vector<char> before = reach(workload, work, Direction::ancestors);
  std::vector<char> after = reach(workload, work, Direction::descendants);
  after[work.index()] = 1;
  live.clear();
  add_read_residents(workload, live);
  for (const BufferId output : workload.outputs(work)) live.add(output);
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const Buffer& buffer = workload.buffer(BufferId(i));
    if (!buffer.producer.valid() || before[buffer.producer.index()] == 0) continue;
    const auto is_after = [&](WorkId reader) { return after[reader.index()] != 0; };
    if (buffer.is_output || std::ranges::any_of(workload.readers(BufferId(i)), is_after)) live.add(BufferId(i));
  }
  return live.total();
}

double largest_cut(const Workload& workload) {
  LiveSet live(workload);
  double largest = 0;
  const std::size_t count = workload.work_count();
  const std::size_t cuts = std::min(count, kCuts);
  for (std::size_t i = 0; i < cuts; ++i)
    largest = std::max(largest, cut_at(workload, workload.topological_order()[i * count / cuts], live));
  return largest;
}

bool is_whole(double seconds) { return seconds == std::floor(seconds); }

/// Proof: see LeastCut. What has ended when a work starts holds at least that much, however many streams there are.
double least_cuts(const Workload& workload) {
  const OrderMemory memory(workload);
  const std::span<const WorkId> listed = workload.topological_order();
  return static_cast<double>(
      least_peak_bytes(memory, workload.given_order.empty() ? listed : workload.given_order, kLeastCuts));
}

}  // namespace

Times times_of(const Workload& workload, const Machine& machine) {
  const auto is_free = [](const Link& link) {
    return link.latency_seconds == 0 && link.bytes_per_second == std::numeric_limits<double>::infinity();
  };
  const bool free_links = std::ranges::all_of(machine.links, is_free);
  const WorkTimes times(workload, machine);
  for (std::size_t i = 0; i < workload.work_count(); ++i)
    for (std::size_t kind = 0; kind < machine.kinds.size(); ++kind) {
      const WorkTime& time = times.at(WorkId(i), kind);
      const double seconds = time.alone(workload.work(WorkId(i)).bytes);
      if (!std::isnan(seconds) && !is_whole(seconds)) return Times::any;
    }
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const double stated = workload.buffer(BufferId(i)).transfer_seconds;
    if (stated >= 0 ? !is_whole(stated) : !free_links) return Times::any;
  }
  return Times::whole;
}

double Bounds::seconds() const { return std::max({critical_path_seconds, total_work_seconds, interval_seconds}); }

double Bounds::peak_bytes() const { return std::max({working_set_bytes, kept_bytes, cut_bytes}); }

Bounds lower_bounds(const Workload& workload, const Machine& machine, Fusion fusion) {
  const std::vector<double> least = least_seconds(workload, machine, fusion);
  const std::vector<BoundedWork> works = bounded_works(workload, least);
  const auto devices = static_cast<double>(machine.device_count());
  double cut = fusion == Fusion::none ? largest_cut(workload) / devices : 0;
  if (fusion == Fusion::none && devices == 1 && OrderMemory::can_count(workload))
    cut = std::max(cut, least_cuts(workload));
  Bounds bounds{
      .critical_path_seconds = critical_path(works) * kRoundedDown,
      .total_work_seconds = total_work(machine, least) * kRoundedDown,
      .working_set_bytes = working_set(workload, fusion) * kRoundedDown,
      .kept_bytes = kept(workload) / devices * kRoundedDown,
      .cut_bytes = cut * kRoundedDown,
  };
  // A group may do its works in any order, so that works in groups have no certain time.
  if (fusion == Fusion::none)
    bounds.interval_seconds =
        interval_bound(works, streams_of(machine), bounds.seconds(), times_of(workload, machine)) * kRoundedDown;
  return bounds;
}

}  // namespace hone
