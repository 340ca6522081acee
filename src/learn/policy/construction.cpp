#include "learn/policy/construction.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace hone {
namespace {

constexpr std::size_t kMostCandidates = 24;  // looked at; of more, the latest and some of the others
constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();

}  // namespace

double slowness(const GraphView& graph, std::size_t operation, std::size_t device) {
  return std::log(graph.seconds(operation, device) / std::max(graph.least_seconds(operation), 1e-12) + 1e-9);
}

Construction::Construction(const GraphView& graph) : graph_(graph) {
  for (std::size_t operation = 0; operation < graph.operations(); ++operation)
    longest_tail_ = std::max(longest_tail_, graph.tail(operation));
  if (longest_tail_ <= 0) longest_tail_ = 1;
  for (std::size_t operation = 0; operation < graph.operations(); ++operation)
    for (std::size_t device = 0; device < graph.devices(); ++device)
      slower_.push_back(static_cast<float>(slowness(graph, operation, device)));
}

void Construction::reset() {
  const std::size_t operations = graph_.operations();
  made_.device_of.assign(operations, 0);
  made_.order.clear();
  ready_.clear();
  missing_.resize(operations);
  to_read_.resize(graph_.buffers().size());
  for (std::size_t i = 0; i < to_read_.size(); ++i) to_read_[i] = graph_.buffers()[i].readers;
  where_.assign(to_read_.size(), 0);
  made_at_.assign(to_read_.size(), 0);
  chosen_device_.assign(graph_.choices().count(), kOpen);
  held_.assign(graph_.devices(), 0);
  free_streams_.clear();
  for (std::size_t device = 0; device < graph_.devices(); ++device)
    free_streams_.push_back(static_cast<std::uint32_t>(graph_.problem().machine.kind(DeviceId(device)).streams));
  running_.clear();
  now_ = 0;
  for (const OperationId operation : graph_.problem().workload.topological_order()) {
    missing_[operation.index()] = static_cast<std::uint32_t>(graph_.before(operation.index()).size());
    if (missing_[operation.index()] == 0) ready_.push_back(static_cast<std::uint32_t>(operation.index()));
  }
}

bool Construction::may_run(std::uint32_t operation, std::uint32_t device) const {
  const std::size_t choice = graph_.choices().choice_of(OperationId(operation));
  if (chosen_device_[choice] != kOpen) return chosen_device_[choice] == device;
  return std::ranges::binary_search(graph_.choices().devices(choice), DeviceId(device));
}

/// So many of the operations that have been ready for longest, by chance, and as many of the latest. Operations change
/// places while they are drawn and go back, since a copy of all that are ready would take longer than everything else.
void Construction::offer_some(std::size_t half, Rng& rng) {
  const std::size_t old = ready_.size() - half;
  std::array<std::size_t, kMostCandidates / 2> lots;
  for (std::size_t i = 0; i < half; ++i) std::swap(ready_[i], ready_[lots[i] = i + rng.below(old - i)]);
  offered_.assign(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(half));
  offered_.insert(offered_.end(), ready_.begin() + static_cast<std::ptrdiff_t>(old), ready_.end());
  for (std::size_t i = half; i-- > 0;) std::swap(ready_[i], ready_[lots[i]]);
}

/// Operations that some free device may run, the more the fewer devices are free, each with all of these.
void Construction::list_candidates(Rng& rng) {
  candidates_.clear();
  const auto is_free = [](std::uint32_t streams) { return streams > 0; };
  const auto free = static_cast<std::size_t>(std::ranges::count_if(free_streams_, is_free));
  const std::size_t half = std::max<std::size_t>(3, kMostCandidates / 2 / std::max<std::size_t>(1, free));
  if (free == 0) return;
  if (ready_.size() > 2 * half) offer_some(half, rng);
  else offered_ = ready_;
  for (std::uint32_t device = 0; device < free_streams_.size(); ++device)
    for (const std::uint32_t operation : offered_)
      if (free_streams_[device] > 0 && may_run(operation, device)) candidates_.push_back({operation, device});
}

OptionFeatures Construction::look(const Candidate& candidate, const Incumbent& incumbent) const {
  const auto [operation, device] = candidate;
  double copied = 0, aged = 0, resident = 0, freed = 0, shared = 0;
  std::uint32_t latest = 0;
  const auto step = static_cast<std::uint32_t>(made_.order.size());
  const double per_step = 1 / static_cast<double>(graph_.operations());
  for (const std::uint32_t id : graph_.reads(operation)) {
    const GraphView::Buffer& buffer = graph_.buffers()[id];
    const bool here = is_on(id, device);
    if (buffer.is_resident) {
      if (!here) resident += buffer.bytes;
      continue;
    }
    latest = std::max(latest, made_at_[id]);
    if (!here) {
      copied += buffer.bytes;
      aged += buffer.bytes * (step - made_at_[id]) * per_step;
    }
    if (buffer.is_output) continue;
    if (to_read_[id] == 1) freed += buffer.bytes;
    shared += buffer.bytes / to_read_[id];
  }
  std::uint32_t unlocks = 0;
  for (const std::uint32_t next : graph_.after(operation)) unlocks += missing_[next] == 1 ? 1 : 0;
  const double made = graph_.made_bytes(operation);
  const double level = held_[device] + made + copied + resident;
  const double unit = 1 / incumbent.bytes;
  OptionFeatures features{};
  const auto set = [&](OptionFeature feature, double value) {
    features[static_cast<std::size_t>(feature)] = static_cast<float>(value);
  };
  set(OptionFeature::one, 1);
  set(OptionFeature::made, 10 * made * unit);
  set(OptionFeature::copied, 10 * copied * unit);
  set(OptionFeature::copied_age, 10 * aged * unit);
  set(OptionFeature::resident, 10 * resident * unit);
  set(OptionFeature::freed, 10 * freed * unit);
  set(OptionFeature::shared, 10 * shared * unit);
  set(OptionFeature::excess, 10 * std::max(0.0, level * unit - 1));
  set(OptionFeature::level, level * unit);
  set(OptionFeature::lead, (level - std::ranges::min(held_)) * unit);
  set(OptionFeature::tail, graph_.tail(operation) / longest_tail_);
  set(OptionFeature::duration, slower_[operation * graph_.devices() + device]);
  set(OptionFeature::recent, 1 - (step - latest) * per_step);
  set(OptionFeature::unlocks, std::min(unlocks, 4U) * 0.25);
  if (!incumbent.device_of.empty()) {
    set(OptionFeature::same_device, incumbent.device_of[operation] == device ? 1 : 0);
    set(OptionFeature::early, std::clamp(10 * (incumbent.position[operation] - step * per_step), -3.0, 3.0));
  }
  if (!incumbent.due.empty())
    set(OptionFeature::due, std::clamp(10 * (incumbent.due[operation] - step * per_step), -3.0, 3.0));
  return features;
}

WaitFeatures Construction::look_at_waiting(const Incumbent& incumbent) const {
  const double unit = 1 / incumbent.bytes;
  const auto [least, most] = std::ranges::minmax(held_);
  return {1, static_cast<float>(least * unit), static_cast<float>((most - least) * unit),
          static_cast<float>(std::min<std::size_t>(ready_.size(), 20)) * 0.05F,
          static_cast<float>(running_.size()) / static_cast<float>(graph_.devices())};
}

/// False when all wait for something to end.
bool Construction::decide(const LogitWeights& weights, const Incumbent& incumbent, double temperature, Rng& rng,
                          Trace* trace) {
  list_candidates(rng);
  if (candidates_.empty()) return false;
  SoftmaxDraw draw(temperature, rng);
  const std::size_t first = trace != nullptr ? trace->features.size() : 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const OptionFeatures features = look(candidates_[i], incumbent);
    draw.offer(i, weights.of(candidates_[i].operation), features);
    if (trace == nullptr) continue;
    trace->features.push_back(features);
    trace->operations.push_back(candidates_[i].operation);
  }
  const WaitFeatures wait = look_at_waiting(incumbent);
  if (!running_.empty()) draw.offer(candidates_.size(), weights.wait, wait);
  const std::size_t chosen = draw.chosen();
  if (trace != nullptr)
    trace->decisions.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(candidates_.size()),
                                static_cast<std::uint32_t>(chosen), !running_.empty(), wait});
  if (chosen == candidates_.size()) return false;
  start(candidates_[chosen].operation, candidates_[chosen].device);
  return true;
}

void Construction::start(std::uint32_t operation, std::uint32_t device) {
  const auto step = static_cast<std::uint32_t>(made_.order.size());
  made_.order.push_back(operation);
  made_.device_of[operation] = device;
  chosen_device_[graph_.choices().choice_of(OperationId(operation))] = device;
  ready_.erase(std::ranges::find(ready_, operation));
  for (const std::uint32_t id : graph_.reads(operation)) {
    if (is_on(id, device)) continue;
    held_[device] += graph_.buffers()[id].bytes;
    where_[id] |= std::uint64_t{1} << device;
  }
  for (const std::uint32_t id : graph_.makes(operation)) {
    held_[device] += graph_.buffers()[id].bytes;
    where_[id] |= std::uint64_t{1} << device;
    made_at_[id] = step;
  }
  --free_streams_[device];
  running_.push_back({now_ + graph_.seconds(operation, device), operation, device});
  std::ranges::push_heap(running_, std::greater());
}

void Construction::finish(const Running& ended) {
  ++free_streams_[ended.device];
  const auto give_back = [&](std::uint32_t id) {
    const GraphView::Buffer& buffer = graph_.buffers()[id];
    if (buffer.is_output || buffer.is_resident) return;
    for (std::size_t device = 0; device < graph_.devices(); ++device)
      if (is_on(id, static_cast<std::uint32_t>(device))) held_[device] -= buffer.bytes;
    where_[id] = 0;
  };
  for (const std::uint32_t id : graph_.reads(ended.operation))
    if (--to_read_[id] == 0) give_back(id);
  for (const std::uint32_t id : graph_.makes(ended.operation))
    if (to_read_[id] == 0) give_back(id);
  for (const std::uint32_t next : graph_.after(ended.operation))
    if (--missing_[next] == 0) ready_.push_back(next);
}

const Constructed& Construction::build(const LogitWeights& weights, const Incumbent& incumbent, double temperature,
                                       Rng& rng, Trace* trace) {
  reset();
  while (made_.order.size() < graph_.operations()) {
    while (!ready_.empty() && decide(weights, incumbent, temperature, rng, trace)) {
    }
    if (running_.empty()) continue;
    now_ = running_.front().finish;
    while (!running_.empty() && running_.front().finish <= now_) {
      std::ranges::pop_heap(running_, std::greater());
      const Running ended = running_.back();
      running_.pop_back();
      finish(ended);
    }
  }
  return made_;
}

}  // namespace hone
