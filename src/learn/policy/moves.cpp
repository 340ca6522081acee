#include "learn/policy/moves.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr std::size_t kMostOperations = 96;  // of a move in the order
constexpr std::size_t kMostGathered = 64;

/// From 1 to high, each order of magnitude as likely as the next.
std::uint32_t log_uniform(Rng& rng, std::uint32_t high) {
  return std::min(high, static_cast<std::uint32_t>(std::pow(high + 1.0, rng.uniform())));
}

}  // namespace

Moves::Moves(const PlanInTime& plan, double focus)
    : plan_(plan), graph_(plan.graph()), focus_(focus), tried_(graph_.operations()), mark_(graph_.operations()) {
  for (std::size_t operation = 0; operation < graph_.operations(); ++operation)
    longest_tail_ = std::max(longest_tail_, graph_.tail(operation));
}

std::uint32_t Moves::pick(Rng& rng) const {
  if (plan_.blamed().empty() || rng.uniform() >= focus_)
    return static_cast<std::uint32_t>(rng.below(graph_.operations()));
  const std::span<const double> until = plan_.blame_until();
  const auto found = std::ranges::upper_bound(until, rng.uniform() * until.back());
  return plan_.blamed()[std::min<std::size_t>(static_cast<std::size_t>(found - until.begin()), until.size() - 1)];
}

bool Moves::may_run(std::uint32_t operation, std::uint32_t device) const {
  const DeviceChoices& choices = graph_.choices();
  return std::ranges::binary_search(choices.devices(choices.choice_of(OperationId(operation))), DeviceId(device));
}

std::optional<PlanMove> Moves::draw(Rng& rng) {
  PlanMove move{.kind = static_cast<MoveKind>(rng.below(static_cast<std::size_t>(MoveKind::count))),
                .operation = pick(rng)};
  if (!spare_.empty()) {
    move.operations = std::move(spare_.back());
    spare_.pop_back();
    move.operations.clear();
  }
  if (!(move.is_in_order() ? complete_in_order(move, rng) : complete_between_devices(move, rng))) {
    discard(std::move(move));
    return std::nullopt;
  }
  look(move);
  return move;
}

bool Moves::complete_between_devices(PlanMove& move, Rng& rng) {
  const DeviceChoices& choices = graph_.choices();
  const std::vector<DeviceId>& devices = choices.devices(choices.choice_of(OperationId(move.operation)));
  move.device = static_cast<std::uint32_t>(devices[rng.below(devices.size())].index());
  if (move.device == plan_.device(move.operation)) return false;
  move.operations.push_back(move.operation);
  if (move.kind == MoveKind::swap) return complete_swap(move, rng);
  return move.kind == MoveKind::place || complete_gathering(move, rng);
}

/// With one that runs there at about the same time.
bool Moves::complete_swap(PlanMove& move, Rng& rng) const {
  const std::span<const std::uint32_t> order = plan_.order();
  if (order.size() < 2) return false;
  const std::uint32_t distance = log_uniform(rng, static_cast<std::uint32_t>(order.size() - 1));
  const std::uint32_t at = plan_.position(move.operation);
  const bool is_later = rng.uniform() < 0.5;
  if (is_later ? at + distance >= order.size() : at < distance) return false;
  const std::uint32_t other = order[is_later ? at + distance : at - distance];
  if (plan_.device(other) != move.device || !may_run(other, plan_.device(move.operation))) return false;
  move.operations.push_back(other);
  return true;
}

/// With some that feed or read one another.
bool Moves::complete_gathering(PlanMove& move, Rng& rng) {
  const auto most = static_cast<std::uint32_t>(std::clamp<std::size_t>(graph_.operations() / 4, 2, kMostGathered));
  const std::uint32_t wanted = 1 + log_uniform(rng, most);
  ++marks_;
  mark_[move.operation] = marks_;
  for (std::uint32_t tries = 4 * wanted; tries > 0 && move.operations.size() < wanted; --tries) {
    const std::uint32_t member = move.operations[rng.below(move.operations.size())];
    const std::span<const std::uint32_t> before = graph_.before(member), after = graph_.after(member);
    if (before.empty() && after.empty()) continue;
    const std::size_t lot = rng.below(before.size() + after.size());
    const std::uint32_t next = lot < before.size() ? before[lot] : after[lot - before.size()];
    if (mark_[next] == marks_) continue;
    mark_[next] = marks_;
    if (may_run(next, move.device)) move.operations.push_back(next);
  }
  return move.operations.size() > 1;
}

bool Moves::complete_in_order(PlanMove& move, Rng& rng) {
  const auto operations = static_cast<std::uint32_t>(graph_.operations());
  const std::uint32_t at = plan_.position(move.operation), peak = plan_.peak_position();
  const bool is_pull = move.kind == MoveKind::pull;
  const std::uint32_t room = is_pull ? at : operations - 1 - at;
  if (room == 0) return false;
  const bool to_peak = is_pull ? peak < at : peak > at;
  std::uint32_t distance = log_uniform(rng, room);
  if (to_peak && rng.uniform() < 0.5) {  // just over the moment when most is held
    const std::uint32_t gap = is_pull ? at - peak : peak - at;
    distance = std::min(room, gap + log_uniform(rng, 4) - 1);
  }
  move.target = is_pull ? at - distance : at + distance;
  return collect(move);
}

/// All operations that must move along, in their order; false when they are too many or all of the stretch.
bool Moves::collect(PlanMove& move) {
  const bool is_pull = move.kind == MoveKind::pull;
  const auto [first, last] = std::minmax({plan_.position(move.operation), move.target});
  ++marks_;
  mark_[move.operation] = marks_;
  move.operations.push_back(move.operation);
  for (std::size_t i = 0; i < move.operations.size(); ++i)
    for (const std::uint32_t next : is_pull ? graph_.before(move.operations[i]) : graph_.after(move.operations[i])) {
      if (mark_[next] == marks_) continue;
      mark_[next] = marks_;
      if (plan_.position(next) < first || plan_.position(next) > last) continue;
      if (move.operations.size() == kMostOperations) return false;
      move.operations.push_back(next);
    }
  if (move.operations.size() == last - first + 1) return false;
  std::ranges::sort(move.operations, {}, [&](std::uint32_t operation) { return plan_.position(operation); });
  return true;
}

Stretch Moves::stretch(const PlanMove& move) {
  const auto [first, last] = std::minmax({plan_.position(move.operation), move.target});
  ++marks_;
  for (const std::uint32_t operation : move.operations) mark_[operation] = marks_;
  stretch_.clear();
  if (move.kind == MoveKind::pull) stretch_ = move.operations;
  for (const std::uint32_t operation : plan_.order().subspan(first, last - first + 1))
    if (mark_[operation] != marks_) stretch_.push_back(operation);
  if (move.kind == MoveKind::push) stretch_.insert(stretch_.end(), move.operations.begin(), move.operations.end());
  return {first, stretch_};
}

/// What nobody needs after it, of several readers each by its part.
double Moves::freed_by(std::uint32_t operation) const {
  double freed = 0;
  for (const std::uint32_t id : graph_.reads(operation)) {
    const GraphView::Buffer& buffer = graph_.buffers()[id];
    if (!buffer.is_resident && !buffer.is_output) freed += buffer.bytes / buffer.readers;
  }
  return freed;
}

void Moves::look(PlanMove& move) const {
  const auto set = [&](MoveFeature feature, double value) {
    move.features[static_cast<std::size_t>(feature)] = static_cast<float>(value);
  };
  const double unit = 1 / plan_.peak_bytes();
  const std::uint32_t operation = move.operation;
  move.features[static_cast<std::size_t>(move.kind)] = 1;
  set(MoveFeature::share, std::sqrt(plan_.blame(operation)));
  set(MoveFeature::made, 10 * graph_.made_bytes(operation) * unit);
  set(MoveFeature::freed, 10 * freed_by(operation) * unit);
  set(MoveFeature::crowd, std::log2(static_cast<double>(move.operations.size())) * 0.25);
  set(MoveFeature::tail, graph_.tail(operation) / longest_tail_);
  set(MoveFeature::off_peak, plan_.device(operation) == plan_.peak_device() ? 0 : 1);
  set(MoveFeature::tried, std::min(tried_[operation], 16U) * (1.0 / 16));
  double ready = 0;
  for (const std::uint32_t before : graph_.before(operation)) ready = std::max(ready, plan_.finish(before));
  set(MoveFeature::waited, std::sqrt(std::max(0.0, plan_.start(operation) - ready) / plan_.makespan()));
  if (move.is_in_order()) look_at_order(move);
  else look_at_devices(move);
}

void Moves::look_at_devices(PlanMove& move) const {
  const double unit = 1 / plan_.peak_bytes();
  const std::uint32_t from = plan_.device(move.operation);
  double there = 0, here = 0, bytes = 0, seconds = 0, seconds_now = 0;
  std::uint32_t first = plan_.position(move.operation), last = first;
  for (const std::uint32_t operation : move.operations) {
    const std::uint32_t to = move.device_for(operation, from);
    const bool arrives = to == move.device;
    bytes += (arrives ? 1 : -1) * (graph_.made_bytes(operation) + graph_.resident_bytes(operation));
    seconds += graph_.seconds(operation, to);
    seconds_now += graph_.seconds(operation, plan_.device(operation));
    for (const std::uint32_t near : graph_.before(operation))
      (plan_.device(near) == to ? there : here) += graph_.made_bytes(near);
    for (const std::uint32_t near : graph_.after(operation)) {
      (plan_.device(near) == to ? there : here) += graph_.made_bytes(operation);
      if (arrives) last = std::max(last, plan_.position(near));
    }
    if (arrives) first = std::min(first, plan_.position(operation));
  }
  const double level = (plan_.most_held(move.device, first, std::max(first, last)) + bytes) * unit - 1;
  const auto set = [&](MoveFeature feature, double value) {
    move.features[static_cast<std::size_t>(feature)] = static_cast<float>(value);
  };
  set(MoveFeature::affinity, there + here > 0 ? (there - here) / (there + here) : 0);
  set(MoveFeature::net, std::clamp(10 * bytes * unit, -5.0, 5.0));
  set(MoveFeature::excess, std::min(5.0, 10 * std::max(0.0, level)));
  set(MoveFeature::room, std::clamp(-level, 0.0, 1.0));
  const double slower = std::log(std::max(seconds, 1e-12) / std::max(seconds_now, 1e-12));
  set(MoveFeature::slower, std::clamp(slower, -3.0, 3.0));
}

void Moves::look_at_order(PlanMove& move) const {
  const double unit = 1 / plan_.peak_bytes();
  double net = 0;
  for (const std::uint32_t operation : move.operations) net += graph_.made_bytes(operation) - freed_by(operation);
  const std::uint32_t at = plan_.position(move.operation), peak = plan_.peak_position();
  const std::uint32_t first = std::min(at, move.target), last = std::max(at, move.target);
  const auto set = [&](MoveFeature feature, double value) {
    move.features[static_cast<std::size_t>(feature)] = static_cast<float>(value);
  };
  set(MoveFeature::net, std::clamp((move.kind == MoveKind::pull ? 10 : -10) * net * unit, -5.0, 5.0));
  set(MoveFeature::distance, std::log2(static_cast<double>(last - first)) * 0.25);
  set(MoveFeature::crosses, first <= peak && peak <= last ? 1 : 0);
}

}  // namespace hone
