#include "plan/methods/list_heuristic.h"

#include <queue>
#include <tuple>

namespace hone {
namespace {

constexpr double kTightenings[] = {1, 0.9, 0.8, 0.65, 0.5, 0.35};

/// By operation: what it reads of others.
std::vector<std::uint32_t> count_awaited(const Durations& durations) {
  std::vector<std::uint32_t> awaited(durations.problem().workload.operation_count());
  for (std::size_t i = 0; i < awaited.size(); ++i)
    awaited[i] = static_cast<std::uint32_t>(durations.reads(OperationId(i)).size());
  return awaited;
}

/// Calls `visit` for every operation that waits for this one only.
template <class Visit>
void release_readers(const Durations& durations, OperationId operation, std::vector<std::uint32_t>& awaited,
                     Visit visit) {
  for (const Durations::Read& read : durations.read_by(operation))
    if (--awaited[read.other.index()] == 0) visit(read.other);
}

}  // namespace

std::vector<double> memory_limits(const Problem& problem) {
  std::vector<double> limits;
  if (!problem.objective.limits_memory()) return limits;
  for (const Device& device : problem.machine.devices)
    limits.push_back(problem.machine.kinds[device.kind].memory_bytes);
  return limits;
}

void evaluate_filled(Search& search, const Durations& durations, PartialSchedule::Gaps gaps, const Fill& fill) {
  const std::vector<double> capacity = memory_limits(search.problem());
  PartialSchedule schedule(durations, gaps, capacity);
  for (const double share : kTightenings) {
    schedule.clear(share);
    fill(schedule);
    const std::span<const Cost> costs = search.evaluate(search.task().encode(schedule.apply_to(search.start())));
    if (capacity.empty() || costs.empty() || costs.front().overflow_bytes == 0) return;
  }
}

std::vector<OperationId> order_by_key(const Durations& durations, std::span<const double> keys) {
  const Workload& workload = durations.problem().workload;
  std::vector<std::uint32_t> awaited = count_awaited(durations);
  const auto later = [&](OperationId a, OperationId b) {
    return keys[a.index()] != keys[b.index()] ? keys[a.index()] < keys[b.index()] : a > b;
  };
  std::priority_queue<OperationId, std::vector<OperationId>, decltype(later)> open(later);
  for (const OperationId operation : workload.topological_order())
    if (awaited[operation.index()] == 0) open.push(operation);
  std::vector<OperationId> order;
  order.reserve(workload.operation_count());
  while (!open.empty()) {
    order.push_back(open.top());
    open.pop();
    release_readers(durations, order.back(), awaited, [&](OperationId reader) { open.push(reader); });
  }
  return order;
}

void place_by_key(PartialSchedule& schedule, std::span<const double> keys) {
  for (const OperationId operation : order_by_key(schedule.durations(), keys))
    schedule.place(operation, schedule.earliest_finish(operation));
}

/// No operation can start earlier than it could before others were placed, unless memory is short, so that a heap with
/// outdated starts will do: what is first in it is looked at again.
void place_earliest_first(PartialSchedule& schedule, std::span<const double> keys) {
  const Durations& durations = schedule.durations();
  using Offer = std::tuple<double, double, OperationId>;  // start, negative key, operation
  const auto offer = [&](OperationId operation) {
    return Offer{schedule.earliest_finish(operation).start(), -keys[operation.index()], operation};
  };
  std::vector<std::uint32_t> awaited = count_awaited(durations);
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> open;
  for (const OperationId operation : durations.problem().workload.topological_order())
    if (awaited[operation.index()] == 0) open.push(offer(operation));
  while (!open.empty()) {
    const Offer first = open.top();
    open.pop();
    const OperationId operation = std::get<OperationId>(first);
    const Offer now = offer(operation);
    if (now > first && !open.empty() && now > open.top()) {
      open.push(now);
      continue;
    }
    schedule.place(operation, schedule.earliest_finish(operation));
    release_readers(durations, operation, awaited, [&](OperationId reader) { open.push(offer(reader)); });
  }
}

OptimizerKind ListHeuristic::kind(std::string_view name, std::string_view summary, Evaluate evaluate) {
  return {name, summary, [evaluate](std::string_view parameters) {
            Parameters().parse(parameters);
            return std::make_unique<ListHeuristic>(evaluate);
          }};
}

}  // namespace hone
