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
constexpr std::size_t kCuts = 128;      // operations whose cut is looked at, evenly spread
constexpr std::size_t kLeastCuts = 64;  // operations at which the given order takes most, whose least cut is looked for

/// What part of an operation's result an instance in the group of one of its readers computes at least, when that
/// reader computes the part `of_reader` of its own (see GroupTimer); `input` is which of the reader's inputs it is.
double least_part(const Loop& loop, const Loop& reader, std::size_t input, double of_reader) {
  if (reader.kind == Loop::Kind::none || reader.points == 0) return 1;
  const Access access = reader.reads[input];
  if (access == Access::other && reader.kind == Loop::Kind::contraction) return 1;
  const double part = reader.results == 0 ? 1 : of_reader;
  return std::min(1.0, access == Access::row ? part : part * reader.points / loop.results);
}

/// By operation: the part of its result that is computed at least, once by whatever way an operation that needs it is
/// reached. Proof: what is stored is computed in full, where it lives; what is not is computed in the group of each of
/// its readers, at least as far as that reader asks for, and readers have been looked at before.
std::vector<double> least_parts(const Workload& workload) {
  std::vector<double> parts(workload.operation_count(), 1);
  const std::span<const OperationId> order = workload.topological_order();
  for (auto reader = order.rbegin(); reader != order.rend(); ++reader) {
    const std::span<const BufferId> inputs = workload.inputs(*reader);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const OperationId producer = workload.buffer(inputs[i]).producer;
      if (!producer.valid()) continue;
      const Loop& loop = workload.operation(producer).loop;
      if (loop.kind == Loop::Kind::none || loop.results == 0) continue;  // counts in full wherever it runs
      double& part = parts[producer.index()];
      part = std::min(part, least_part(loop, workload.operation(*reader).loop, i, parts[reader->index()]));
    }
  }
  return parts;
}

/// Seconds an operation adds to its group wherever it runs. Without fusion that is its time alone. With fusion, the
/// time of a group is at least the sum over its instances of stated seconds and of compute seconds for what they
/// compute of their results (see GroupTimer).
std::vector<double> least_seconds(const Workload& workload, const Machine& machine, Fusion fusion) {
  const OperationTimes times(workload, machine);
  const std::vector<double> parts = fusion == Fusion::none ? std::vector<double>() : least_parts(workload);
  std::vector<double> least(workload.operation_count(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < least.size(); ++i) {
    for (const Device& device : machine.devices) {
      const OperationTime& time = times.at(OperationId(i), device.kind);
      const double seconds = fusion == Fusion::none ? time.alone(workload.operation(OperationId(i)).bytes)
                                                    : time.stated_seconds + time.compute_seconds * parts[i];
      if (seconds < least[i]) least[i] = seconds;  // false for a device that cannot run it
    }
  }
  return least;
}

/// By operation: what must pass before it starts and after it has ended.
std::vector<BoundedOperation> bounded_operations(const Workload& workload, const std::vector<double>& least) {
  std::vector<BoundedOperation> operations(least.size());
  const std::span<const OperationId> order = workload.topological_order();
  for (const OperationId operation : order) {
    BoundedOperation& self = operations[operation.index()];
    self.seconds = least[operation.index()];
    for (const BufferId input : workload.inputs(operation))
      if (const OperationId producer = workload.buffer(input).producer; producer.valid())
        self.before = std::max(self.before, operations[producer.index()].before + least[producer.index()]);
  }
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation)
    for (const BufferId output : workload.outputs(*operation))
      for (const OperationId reader : workload.readers(output)) {
        double& after = operations[operation->index()].after;
        after = std::max(after, operations[reader.index()].after + least[reader.index()]);
      }
  return operations;
}

/// Proof: operations on a path run one after another, or in one group, where copies stand for operations that live
/// elsewhere. A path enters each group once, as groups that wait for one another never run; a group takes at least the
/// sum of its operations' least seconds, and transfers take no less than 0.
double critical_path(const std::vector<BoundedOperation>& operations) {
  double longest = 0;
  for (const BoundedOperation& operation : operations)
    longest = std::max(longest, operation.before + operation.seconds);
  return longest;
}

double streams_of(const Machine& machine) {
  double streams = 0;
  for (const Device& device : machine.devices) streams += static_cast<double>(machine.kinds[device.kind].streams);
  return streams;
}

/// Proof: the busy seconds of all streams add up to at least the least seconds of all operations, and no stream is busy
/// for longer than the makespan.
double total_work(const Machine& machine, const std::vector<double>& least) {
  double operation = 0;
  for (const double seconds : least) operation += seconds;
  return operation / streams_of(machine);
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

/// Proof: while an operation runs, everything it reads and writes lies on its device. When it may be part of a group,
/// its other inputs and outputs may be internal; weights, inputs and results never are.
double working_set(const Workload& workload, Fusion fusion) {
  LiveSet live(workload);
  double largest = 0;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    live.clear();
    for (const BufferId input : workload.inputs(OperationId(i)))
      if (fusion == Fusion::none || is_resident(workload, input)) live.add(input);
    for (const BufferId output : workload.outputs(OperationId(i)))
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

/// Operations from which `from` can be reached, by producers, or that can be reached from it, by readers.
enum class Direction { ancestors, descendants };
std::vector<char> reach(const Workload& workload, OperationId from, Direction direction) {
  std::vector<char> seen(workload.operation_count());
  std::vector<OperationId> open = {from};
  const auto visit = [&](OperationId operation) {
    if (!operation.valid() || seen[operation.index()] != 0) return;
    seen[operation.index()] = 1;
    open.push_back(operation);
  };
  while (!open.empty()) {
    const OperationId operation = open.back();
    open.pop_back();
    if (direction == Direction::ancestors) {
      for (const BufferId input : workload.inputs(operation)) visit(workload.buffer(input).producer);
    } else {
      for (const BufferId output : workload.outputs(operation))
        for (const OperationId reader : workload.readers(output)) visit(reader);
    }
  }
  return seen;
}

/// Proof: when an operation starts, its ancestors have ended and neither it nor its descendants have. What an ancestor
/// made and one of those still reads is alive on some device, as are all weights and inputs, results of ancestors, and
/// the outputs of the operation itself. The fullest device holds no less than the average.
double cut_at(const Workload& workload, OperationId operation, LiveSet& live) {
  const std::vector<char> before = reach(workload, operation, Direction::ancestors);
  std::vector<char> after = reach(workload, operation, Direction::descendants);
  after[operation.index()] = 1;
  live.clear();
  add_read_residents(workload, live);
  for (const BufferId output : workload.outputs(operation)) live.add(output);
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const Buffer& buffer = workload.buffer(BufferId(i));
    if (!buffer.producer.valid() || before[buffer.producer.index()] == 0) continue;
    const auto is_after = [&](OperationId reader) { return after[reader.index()] != 0; };
    if (buffer.is_output || std::ranges::any_of(workload.readers(BufferId(i)), is_after)) live.add(BufferId(i));
  }
  return live.total();
}

double largest_cut(const Workload& workload) {
  LiveSet live(workload);
  double largest = 0;
  const std::size_t count = workload.operation_count();
  const std::size_t cuts = std::min(count, kCuts);
  for (std::size_t i = 0; i < cuts; ++i)
    largest = std::max(largest, cut_at(workload, workload.topological_order()[i * count / cuts], live));
  return largest;
}

bool is_whole(double seconds) { return seconds == std::floor(seconds); }

/// Proof: see LeastCut. What has ended when an operation starts holds at least that much, however many streams there
/// are.
double least_cuts(const Workload& workload) {
  const OrderMemory memory(workload);
  const std::span<const OperationId> listed = workload.topological_order();
  return static_cast<double>(
      least_peak_bytes(memory, workload.given_order.empty() ? listed : workload.given_order, kLeastCuts));
}

}  // namespace

Times times_of(const Workload& workload, const Machine& machine) {
  const auto is_free = [](const Link& link) {
    return link.latency_seconds == 0 && link.bytes_per_second == std::numeric_limits<double>::infinity();
  };
  const bool free_links = std::ranges::all_of(machine.links, is_free);
  const OperationTimes times(workload, machine);
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    for (std::size_t kind = 0; kind < machine.kinds.size(); ++kind) {
      const OperationTime& time = times.at(OperationId(i), kind);
      const double seconds = time.alone(workload.operation(OperationId(i)).bytes);
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
  const std::vector<BoundedOperation> operations = bounded_operations(workload, least);
  const auto devices = static_cast<double>(machine.device_count());
  double cut = fusion == Fusion::none ? largest_cut(workload) / devices : 0;
  if (fusion == Fusion::none && devices == 1 && OrderMemory::can_count(workload))
    cut = std::max(cut, least_cuts(workload));
  Bounds bounds{
      .critical_path_seconds = critical_path(operations) * kRoundedDown,
      .total_work_seconds = total_work(machine, least) * kRoundedDown,
      .working_set_bytes = working_set(workload, fusion) * kRoundedDown,
      .kept_bytes = kept(workload) / devices * kRoundedDown,
      .cut_bytes = cut * kRoundedDown,
      .fusion = fusion,
  };
  // A group may do its operations in any order, so that operations in groups have no certain time.
  if (fusion == Fusion::none)
    bounds.interval_seconds =
        interval_bound(operations, streams_of(machine), bounds.seconds(), times_of(workload, machine)) * kRoundedDown;
  return bounds;
}

}  // namespace hone
