#include "plan/methods/list_decoder.h"

#include <algorithm>
#include <cstdlib>

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

/// How often an operation that could start later than was thought is put back behind more urgent ones; without a limit
/// wide graphs would take a time that grows with the square of their operations.
constexpr std::uint8_t kPutBack = 16;

/// Operations that can be placed next, the most urgent first; ties by number, which from the end is the greatest.
class Queue {
 public:
  explicit Queue(Direction direction) : direction_(direction) {}

  void push(double urgency, OperationId operation) {
    const auto number = static_cast<std::int64_t>(operation.index());
    heap_.push_back({urgency, direction_ == Direction::forward ? number : -number});
    std::ranges::push_heap(heap_, comes_later);
  }
  OperationId pop() {
    std::ranges::pop_heap(heap_, comes_later);
    const OperationId first(static_cast<std::size_t>(std::abs(heap_.back().turn)));
    heap_.pop_back();
    return first;
  }
  double highest() const { return heap_.front().urgency; }
  bool empty() const { return heap_.empty(); }

 private:
  struct Waiting {
    double urgency;
    std::int64_t turn;  // the least first
  };
  static bool comes_later(const Waiting& a, const Waiting& b) {
    return a.urgency != b.urgency ? a.urgency < b.urgency : a.turn > b.turn;
  }

  Direction direction_;
  std::vector<Waiting> heap_;
};

template <class Schedule>
double ready_at(const Schedule& schedule, OperationId operation) {
  double ready = 0;
  for (const Durations::Read& read : schedule.before(operation)) ready = std::max(ready, schedule.finish(read.other));
  return ready;
}

template <class Schedule>
void fill(Schedule& schedule, const ListGuidance& guidance) {
  const std::size_t operations = schedule.durations().problem().workload.operation_count();
  const std::size_t devices = schedule.durations().problem().machine.device_count();
  schedule.clear(guidance.room);
  std::vector<std::uint32_t> awaited(operations);
  std::vector<std::uint8_t> put_back(operations);
  Queue queue(guidance.direction);
  for (std::size_t i = 0; i < operations; ++i) {
    awaited[i] = static_cast<std::uint32_t>(schedule.before(OperationId(i)).size());
    if (awaited[i] == 0) queue.push(guidance.keys[i], OperationId(i));
  }
  SlotPrices prices{.transfer_price = guidance.transfer_price};
  while (!queue.empty()) {
    const OperationId operation = queue.pop();
    if (!guidance.bias.empty()) prices.bias = std::span(guidance.bias).subspan(operation.index() * devices, devices);
    const ScheduleSlot slot = schedule.best_slot(operation, prices);
    if (guidance.haste > 0 && !queue.empty() && put_back[operation.index()] < kPutBack) {
      const double urgency = guidance.keys[operation.index()] - guidance.haste * slot.start();
      if (urgency < queue.highest()) {
        ++put_back[operation.index()];
        queue.push(urgency, operation);
        continue;
      }
    }
    schedule.place(operation, slot);
    for (const Durations::Read& read : schedule.after(operation))
      if (--awaited[read.other.index()] == 0)
        queue.push(guidance.keys[read.other.index()] - guidance.haste * ready_at(schedule, read.other), read.other);
  }
}

}  // namespace

ListDecoder::ListDecoder(const Durations& durations)
    : forward_(durations, PartialSchedule::Gaps::filled, memory_limits(durations.problem())),
      backward_(durations, memory_limits(durations.problem())) {}

Plan ListDecoder::decode(const ListGuidance& guidance, const Plan& plan) {
  if (guidance.direction == Direction::forward) {
    fill(forward_, guidance);
    finishes_ = forward_.finishes();
    return forward_.apply_to(plan);
  }
  fill(backward_, guidance);
  finishes_ = backward_.finishes();
  return backward_.apply_to(plan);
}

}  // namespace hone
