#include "bench/doppler_rules.h"

#include <algorithm>

namespace hone {

Cost DopplerRules::evaluate(const Plan& plan) {
  const Problem& problem = durations_.problem();
  const std::size_t operations = problem.workload.operation_count(), devices = problem.machine.device_count();
  waiting_.assign(devices, {});
  busy_.assign(devices, false);
  last_on_.assign(devices, {});
  ready_.assign(operations, 0);
  end_.assign(operations, 0);
  held_up_by_.assign(operations, {});
  missing_.resize(operations);
  now_ = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    missing_[i] = static_cast<std::uint32_t>(durations_.reads(OperationId(i)).size());
    if (missing_[i] == 0) events_.push({.operation = OperationId(i)});
  }
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.seconds;
    const DeviceId device = plan.device(event.operation);
    if (event.kind == Event::Kind::ended) end(event.operation, plan);
    else waiting_[device.index()].push(event.operation);
    start_next(device);
  }
  return {.seconds = now_};
}

/// Its readers become ready when the last of what they read has come.
void DopplerRules::end(OperationId operation, const Plan& plan) {
  const DeviceId home = plan.device(operation);
  busy_[home.index()] = false;
  for (const Durations::Read& read : durations_.read_by(operation)) {
    const std::size_t reader = read.other.index();
    const bool is_here = plan.device(read.other) == home;
    const double seconds = is_here ? 0 : durations_.problem().workload.buffer(read.buffer).transfer_seconds;
    if (!held_up_by_[reader].valid() || now_ + seconds > ready_[reader]) {
      ready_[reader] = now_ + seconds;
      held_up_by_[reader] = operation;
    }
    if (--missing_[reader] == 0) events_.push({.seconds = ready_[reader], .operation = read.other});
  }
}

void DopplerRules::start_next(DeviceId device) {
  std::queue<OperationId>& waiting = waiting_[device.index()];
  if (busy_[device.index()] || waiting.empty()) return;
  const OperationId operation = waiting.front();
  waiting.pop();
  busy_[device.index()] = true;
  if (now_ > ready_[operation.index()]) held_up_by_[operation.index()] = last_on_[device.index()];
  last_on_[device.index()] = operation;
  end_[operation.index()] = now_ + durations_.seconds(operation, device);
  events_.push({.kind = Event::Kind::ended, .seconds = end_[operation.index()], .operation = operation});
}

std::vector<Blame> DopplerRules::blame(const Plan& plan) {
  evaluate(plan);
  std::vector<Blame> chain;
  if (end_.empty()) return chain;
  OperationId operation(static_cast<std::size_t>(std::ranges::max_element(end_) - end_.begin()));
  for (; operation.valid(); operation = held_up_by_[operation.index()])
    chain.push_back({operation, durations_.seconds(operation, plan.device(operation))});
  return chain;
}

}  // namespace hone
