#include "plan/methods/durations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "plan/problem/operation_time.h"

namespace hone {

Durations::Durations(const Problem& problem)
    : problem_(problem), choices_(problem), kinds_(problem.machine.kinds.size()) {
  const OperationTimes times(problem.workload, problem.machine);
  seconds_.reserve(problem.workload.operation_count() * kinds_);
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    for (std::size_t kind = 0; kind < kinds_; ++kind)
      seconds_.push_back(times.at(OperationId(i), kind).alone(problem.workload.operation(OperationId(i)).bytes));
  shortest_seconds_.assign(kinds_, 0);
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    if (double& shortest = shortest_seconds_[i % kinds_]; i < kinds_ || !(seconds_[i] >= shortest))
      shortest = seconds_[i];
  const Machine& machine = problem.machine;
  const auto pairs = static_cast<double>(machine.device_count() * machine.device_count());
  for (const LinkId route : machine.routes) {
    if (!route.valid()) continue;
    mean_latency_seconds_ += machine.link(route).latency_seconds / pairs;
    mean_seconds_per_byte_ += 1 / machine.link(route).bytes_per_second / pairs;
    apart_ += 1 / pairs;
  }
  link_operations();
}

void Durations::link_operations() {
  const Workload& workload = problem_.workload;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    for (const BufferId input : workload.inputs(OperationId(i)))
      if (const OperationId producer = workload.buffer(input).producer; producer.valid())
        reads_.add({input, producer, mean_transfer_seconds(input) == 0});
    for (const BufferId output : workload.outputs(OperationId(i)))
      for (const OperationId reader : workload.readers(output))
        read_by_.add({output, reader, mean_transfer_seconds(output) == 0});
    reads_.end_list();
    read_by_.end_list();
  }
}

double Durations::mean_seconds(OperationId operation) const {
  const std::vector<DeviceId>& devices = choices_.devices(choices_.choice_of(operation));
  double sum = 0;
  for (const DeviceId device : devices) sum += seconds(operation, device);
  return sum / static_cast<double>(devices.size());
}

double Durations::shortest_transfer_seconds(LinkId link) const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Read& read : reads_.items()) {
    const Buffer& moved = problem_.workload.buffer(read.buffer);
    const double seconds =
        moved.transfer_seconds >= 0 ? moved.transfer_seconds : problem_.machine.link(link).seconds(moved.bytes);
    if (seconds > 0) shortest = std::min(shortest, seconds);
  }
  return std::isfinite(shortest) ? shortest : 0;
}

double Durations::mean_transfer_seconds(BufferId buffer) const {
  const Buffer& moved = problem_.workload.buffer(buffer);
  if (moved.transfer_seconds >= 0) return moved.transfer_seconds * apart_;
  return mean_latency_seconds_ + moved.bytes * mean_seconds_per_byte_;
}

std::vector<double> seconds_to_the_end(const Durations& durations, TransfersOnPath transfers) {
  const Workload& workload = durations.problem().workload;
  std::vector<double> longest(workload.operation_count());
  const std::span<const OperationId> order = workload.topological_order();
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation) {
    double after = 0;
    for (const BufferId output : workload.outputs(*operation)) {
      const double moving = transfers == TransfersOnPath::averaged ? durations.mean_transfer_seconds(output) : 0;
      for (const OperationId reader : workload.readers(output))
        after = std::max(after, moving + longest[reader.index()]);
    }
    longest[operation->index()] = after + durations.mean_seconds(*operation);
  }
  return longest;
}

std::vector<double> seconds_from_the_start(const Durations& durations, TransfersOnPath transfers) {
  std::vector<double> longest(durations.problem().workload.operation_count());
  for (const OperationId operation : durations.problem().workload.topological_order()) {
    double before = 0;
    for (const Durations::Read& read : durations.reads(operation)) {
      const double moving = transfers == TransfersOnPath::averaged ? durations.mean_transfer_seconds(read.buffer) : 0;
      before = std::max(before, moving + longest[read.other.index()]);
    }
    longest[operation.index()] = before + durations.mean_seconds(operation);
  }
  return longest;
}

/// 64 operations at a time: a pass against the topological order finds for every operation which of them come after it.
std::vector<double> seconds_held_up(const Durations& durations) {
  constexpr std::size_t kBatch = 64;
  const Workload& workload = durations.problem().workload;
  const std::span<const OperationId> order = workload.topological_order();
  std::vector<double> held_up(order.size());
  std::vector<std::uint64_t> after(order.size());
  for (std::size_t first = 0; first < order.size(); first += kBatch) {
    const std::size_t last = std::min(order.size(), first + kBatch);
    double seconds[kBatch] = {};
    for (std::size_t i = first; i < last; ++i) seconds[i - first] = durations.mean_seconds(order[i]);
    for (std::size_t i = last; i-- > 0;) {
      std::uint64_t mask = 0;
      for (const BufferId output : workload.outputs(order[i]))
        for (const OperationId reader : workload.readers(output)) mask |= after[reader.index()];
      for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1)
        held_up[order[i].index()] += seconds[std::countr_zero(rest)];
      if (i >= first) mask |= std::uint64_t{1} << (i - first);
      after[order[i].index()] = mask;
    }
    std::ranges::fill(after, 0);
  }
  return held_up;
}

}  // namespace hone
