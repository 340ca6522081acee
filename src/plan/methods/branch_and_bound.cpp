#include "plan/methods/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.h"

namespace hone {
namespace {

constexpr std::size_t kStates = 200'000;  // remembered at most
constexpr std::uint64_t kNodesBetweenLooks = 1024;

/// Whether it does not matter which stream an operation goes to.
bool are_streams_alike(const Durations& durations) {
  const Problem& problem = durations.problem();
  const std::size_t devices = problem.machine.device_count();
  if (durations.choices().count() != problem.workload.operation_count()) return false;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    const std::vector<DeviceId>& able = durations.choices().devices(durations.choices().choice_of(OperationId(i)));
    const auto same = [&](DeviceId device) {
      return durations.seconds(OperationId(i), device) == durations.seconds(OperationId(i), able.front());
    };
    if (able.size() != devices || !std::ranges::all_of(able, same)) return false;
  }
  for (std::size_t i = 0; i < problem.workload.buffer_count(); ++i)
    if (problem.workload.buffer(BufferId(i)).producer.valid() && durations.mean_transfer_seconds(BufferId(i)) > 0)
      return false;
  return true;
}

}  // namespace

BranchAndBound::BranchAndBound(const Durations& durations, Times times)
    : durations_(durations),
      workload_(durations.problem().workload),
      times_(times),
      alike_(are_streams_alike(durations)),
      least_(workload_.operation_count(), std::numeric_limits<double>::infinity()),
      tails_(workload_.operation_count()),
      position_(workload_.operation_count()) {
  const Machine& machine = durations.problem().machine;
  for (std::size_t device = 0; device < machine.device_count(); ++device)
    device_of_stream_.insert(device_of_stream_.end(), machine.kind(DeviceId(device)).streams, DeviceId(device));
  const std::span<const OperationId> order = workload_.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const OperationId operation = order[i];
    position_[operation.index()] = i;
    for (const DeviceId device : durations.choices().devices(durations.choices().choice_of(operation)))
      least_[operation.index()] = std::min(least_[operation.index()], durations.seconds(operation, device));
    for (const BufferId output : workload_.outputs(operation))
      for (const OperationId reader : workload_.readers(output))
        tails_[operation.index()] =
            std::max(tails_[operation.index()], least_[reader.index()] + tails_[reader.index()]);
  }
  by_tail_.assign(order.begin(), order.end());
  std::ranges::stable_sort(by_tail_, std::greater(), [&](OperationId operation) { return tails_[operation.index()]; });
}

BranchAndBound::Outcome BranchAndBound::run(double known, const Limits& limits, const Found& found) {
  found_ = &found;
  limits_ = &limits;
  outcome_ = {.shortest = known};
  stopped_ = false;
  steps_.clear();
  seen_.clear();
  remembered_ = 0;
  stream_of_.assign(workload_.operation_count(), kNone);
  finish_.assign(workload_.operation_count(), 0);
  free_.assign(device_of_stream_.size(), 0);
  explore();
  outcome_.complete = !stopped_;
  return outcome_;
}

/// Bounds are sums in another order than the schedule's own, hence the billionth.
bool BranchAndBound::is_too_long(double seconds) const {
  const double longest = times_ == Times::whole ? outcome_.shortest - 1 : outcome_.shortest;
  const double slack = 1e-9 * outcome_.shortest;
  return times_ == Times::whole ? seconds > longest + slack : seconds >= longest - slack;
}

void BranchAndBound::explore() {
  ++outcome_.nodes;
  if (outcome_.nodes > limits_->nodes || (outcome_.nodes % kNodesBetweenLooks == 0 && limits_->is_over()))
    stopped_ = true;
  if (stopped_) return;
  if (steps_.size() == workload_.operation_count()) {
    double end = 0;
    for (const Step& step : steps_) end = std::max(end, step.finish);
    if (is_too_long(end)) return;
    outcome_.shortest = end;
    stopped_ = !(*found_)(steps_);
    return;
  }
  if (is_hopeless() || was_seen()) return;
  for (const Step& step : children()) {
    if (is_too_long(step.finish + tails_[step.operation.index()])) continue;
    const double free_before = free_[step.stream];
    add(step);
    explore();
    remove(step, free_before);
    if (stopped_) return;
  }
}

void BranchAndBound::add(const Step& step) {
  steps_.push_back(step);
  stream_of_[step.operation.index()] = step.stream;
  finish_[step.operation.index()] = step.finish;
  free_[step.stream] = step.finish;
}

void BranchAndBound::remove(const Step& step, double free_before) {
  steps_.pop_back();
  stream_of_[step.operation.index()] = kNone;
  free_[step.stream] = free_before;
}

/// What can come next, that with the longest way to the end first.
std::vector<BranchAndBound::Step> BranchAndBound::children() const {
  std::vector<Step> steps;
  for (const OperationId operation : workload_.topological_order()) {
    const auto is_made = [&](BufferId input) {
      const OperationId producer = workload_.buffer(input).producer;
      return !producer.valid() || is_scheduled(producer);
    };
    if (!is_scheduled(operation) && std::ranges::all_of(workload_.inputs(operation), is_made))
      add_children(operation, steps);
  }
  std::ranges::stable_sort(steps, {}, [&](const Step& step) {
    return std::pair(step.start, -(least_[step.operation.index()] + tails_[step.operation.index()]));
  });
  return steps;
}

/// An operation that could have started before the one added last comes up elsewhere, as do operations of one start in
/// another order. Of streams that are alike, the one that is free first will do: where a schedule has an operation wait
/// for another one, what follows on the two can be exchanged. Of those free by then it is the one that was busy last,
/// as a plan cannot have a device wait while something is ready for it.
void BranchAndBound::add_children(OperationId operation, std::vector<Step>& steps) const {
  const std::size_t last = steps_.empty() ? 0 : position_[steps_.back().operation.index()];
  const auto consider = [&](std::size_t stream) {
    const DeviceId device = device_of_stream_[stream];
    const double start = std::max(arrival(operation, device), free_[stream]);
    if (std::pair(start, position_[operation.index()]) < std::pair(last_start(), last)) return;
    steps.push_back({operation, stream, start, start + durations_.seconds(operation, device)});
  };
  if (alike_) {
    std::size_t best = static_cast<std::size_t>(std::ranges::min_element(free_) - free_.begin());
    const double start = std::max(arrival(operation, device_of_stream_[best]), free_[best]);
    for (std::size_t stream = 0; stream < free_.size(); ++stream)
      if (free_[stream] <= start && free_[stream] > free_[best]) best = stream;
    consider(best);
    return;
  }
  for (std::size_t first = 0; first < free_.size();) {
    const DeviceId device = device_of_stream_[first];
    std::size_t best = first;
    for (; first < free_.size() && device_of_stream_[first] == device; ++first)
      if (free_[first] < free_[best]) best = first;
    if (is_allowed(operation, device)) consider(best);
  }
}

bool BranchAndBound::is_allowed(OperationId operation, DeviceId device) const {
  const std::size_t choice = durations_.choices().choice_of(operation);
  for (const Step& step : steps_)
    if (durations_.choices().choice_of(step.operation) == choice) return device_of_stream_[step.stream] == device;
  return std::ranges::find(durations_.choices().devices(choice), device) != durations_.choices().devices(choice).end();
}

double BranchAndBound::arrival(OperationId operation, DeviceId device) const {
  double latest = 0;
  for (const BufferId input : workload_.inputs(operation)) {
    const OperationId producer = workload_.buffer(input).producer;
    if (!producer.valid()) continue;
    const DeviceId home = device_of_stream_[stream_of_[producer.index()]];
    latest = std::max(latest, finish_[producer.index()] + durations_.transfer_seconds(input, home, device));
  }
  return latest;
}

/// Whether a path through what is left is too long, or there is too much of it.
bool BranchAndBound::is_hopeless() const {
  std::vector<double> begin(workload_.operation_count(), last_start());
  for (const OperationId operation : workload_.topological_order()) {
    if (is_scheduled(operation)) {
      begin[operation.index()] = finish_[operation.index()] - least_[operation.index()];
      continue;
    }
    for (const BufferId input : workload_.inputs(operation))
      if (const OperationId producer = workload_.buffer(input).producer; producer.valid())
        begin[operation.index()] =
            std::max(begin[operation.index()], begin[producer.index()] + least_[producer.index()]);
    if (is_too_long(begin[operation.index()] + least_[operation.index()] + tails_[operation.index()])) return true;
  }
  return lacks_room();
}

/// Operations with much to follow have to end early: for every length of what follows, those with at least as much must
/// find room on the streams before it. With a makespan m, they take at most sum over streams of (m - tail - free); what
/// m that needs is a bound if m - tail is no less than any `free` it counts, so streams that are free later are left
/// out, the latest first.
bool BranchAndBound::lacks_room() const {
  std::vector<double> free = free_;
  for (double& seconds : free) seconds = std::max(seconds, last_start());
  std::ranges::sort(free);
  double operation = 0;
  for (const OperationId next : by_tail_) {
    if (is_scheduled(next)) continue;
    operation += least_[next.index()];
    double end = 0, sum = 0;
    for (std::size_t streams = 0; streams < free.size(); ++streams) {
      sum += free[streams];
      end = (operation + sum) / static_cast<double>(streams + 1);
      if (streams + 1 == free.size() || end <= free[streams + 1]) break;
    }
    if (is_too_long(end + tails_[next.index()])) return true;
  }
  return false;
}

BranchAndBound::State BranchAndBound::state() const {
  State state;
  state.choices.resize((workload_.operation_count() + 63) / 64);
  state.times = free_;
  if (alike_) std::ranges::sort(state.times);
  for (double& seconds : state.times) seconds = std::max(seconds, last_start());
  state.times.push_back(last_start());
  state.times.push_back(steps_.empty() ? 0 : static_cast<double>(position_[steps_.back().operation.index()]));
  for (const OperationId operation : workload_.topological_order()) {
    if (!is_scheduled(operation)) continue;
    state.choices[operation.index() / 64] |= std::uint64_t{1} << (operation.index() % 64);
    if (!alike_) state.choices.push_back(device_of_stream_[stream_of_[operation.index()]].index());
    const auto is_awaited = [&](BufferId output) {
      return std::ranges::any_of(workload_.readers(output), [&](OperationId reader) { return !is_scheduled(reader); });
    };
    if (std::ranges::any_of(workload_.outputs(operation), is_awaited))
      state.times.push_back(alike_ ? std::max(finish_[operation.index()], last_start()) : finish_[operation.index()]);
  }
  return state;
}

/// Whether something at least as good was explored before.
bool BranchAndBound::was_seen() {
  State now = state();
  std::uint64_t hash = now.choices.size();
  for (const std::uint64_t word : now.choices) hash = mix(hash, word);
  std::vector<State>& others = seen_[hash];
  for (const State& other : others)
    if (other.choices == now.choices && std::ranges::equal(other.times, now.times, std::less_equal())) return true;
  if (remembered_ < kStates) {
    others.push_back(std::move(now));
    ++remembered_;
  }
  return false;
}

}  // namespace hone
