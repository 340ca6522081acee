#include "plan/methods/memory_moves.h"

#include <algorithm>
#include <cmath>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr double kAtTheHighest = 0.7;                    // share of changes at the very peak, not at any device's
constexpr double kNextToOther = 0.3;                     // share of operations that come to run next to another one
constexpr double kLeastRegion = 1, kLargestRegion = 32;  // operations
constexpr std::size_t kTries = 4;                        // for every operation that is to be moved

/// Each order of magnitude as likely as the next.
double drawn_size(double low, double high, Rng& rng) { return low * std::pow(high / low, rng.uniform()); }

FlatLists<OperationId> bound_by_choice(const Durations& durations) {
  std::vector<std::vector<OperationId>> bound(durations.choices().count());
  for (std::size_t i = 0; i < durations.problem().workload.operation_count(); ++i)
    bound[durations.choices().choice_of(OperationId(i))].emplace_back(i);
  return FlatLists<OperationId>(bound);
}

}  // namespace

MemoryMoves::MemoryMoves(const Durations& durations, const MemoryItems& items, HeldLevels& levels)
    : durations_(durations),
      items_(items),
      levels_(levels),
      bound_(bound_by_choice(durations)),
      held_(durations.problem().machine.device_count()) {}

void MemoryMoves::settle(const Plan& plan, const PlayedRuns& runs) {
  plan_ = plan;
  runs_ = &runs;
  levels_.settle(runs.stays(), plan.device_of);
}

std::span<const DeviceId> MemoryMoves::devices_for(OperationId operation) const {
  return durations_.choices().devices(durations_.choices().choice_of(operation));
}

HeldLevels::Moment MemoryMoves::pick_moment(Rng& rng) const {
  if (rng.uniform() < kAtTheHighest) return levels_.highest();
  return levels_.highest_on(DeviceId(rng.below(held_.size())));
}

/// Something that is held then and there, by its bytes. What is held is looked up once for all changes made at once.
std::optional<std::uint32_t> MemoryMoves::pick_item(const HeldLevels::Moment& moment, Rng& rng) {
  Held& held = held_[moment.device.index()];
  if (held.time != moment.time) {
    held = {.time = moment.time};
    double sum = 0;
    for (std::uint32_t item = 0; item < items_.count(); ++item) {
      if (!levels_.holds(item, moment)) continue;
      held.items.push_back(item);
      held.bytes.push_back(sum += items_.item(item).bytes);
    }
  }
  if (held.items.empty()) return std::nullopt;
  const auto found = std::ranges::upper_bound(held.bytes, rng.uniform() * held.bytes.back()) - held.bytes.begin();
  return held.items[std::min(static_cast<std::size_t>(found), held.items.size() - 1)];
}

/// Who makes an item on a device, and who reads it there.
std::vector<OperationId> MemoryMoves::users_at(std::uint32_t item, DeviceId device) const {
  std::vector<OperationId> operations;
  const OperationId maker = items_.item(item).maker;
  if (maker.valid() && levels_.device_of(maker) == device) operations.push_back(maker);
  for (const OperationId user : items_.users(item))
    if (levels_.device_of(user) == device) operations.push_back(user);
  return operations;
}

/// Operations that hang together by what they make and read.
std::vector<OperationId> MemoryMoves::region_around(OperationId first, Rng& rng) const {
  const auto wanted = static_cast<std::size_t>(drawn_size(kLeastRegion, kLargestRegion, rng));
  std::vector<OperationId> region{first};
  for (std::size_t tries = kTries * wanted; tries > 0 && region.size() < wanted; --tries) {
    const OperationId from = region[rng.below(region.size())];
    const std::span<const std::uint32_t> used = items_.used_by(from), made = items_.made_by(from);
    if (used.empty() && made.empty()) continue;
    const std::size_t lot = rng.below(used.size() + made.size());
    const std::uint32_t item = lot < used.size() ? used[lot] : made[lot - used.size()];
    const std::span<const OperationId> users = items_.users(item);
    const std::size_t other = rng.below(users.size() + 1);
    const OperationId next = other < users.size() ? users[other] : items_.item(item).maker;
    if (next.valid() && std::ranges::find(region, next) == region.end()) region.push_back(next);
  }
  return region;
}

/// With all operations that must share a device with one of these, as they run.
std::vector<OperationId> MemoryMoves::with_bound(const std::vector<OperationId>& operations) const {
  std::vector<OperationId> all;
  for (const OperationId operation : operations) {
    const std::span<const OperationId> bound = bound_[durations_.choices().choice_of(operation)];
    all.insert(all.end(), bound.begin(), bound.end());
  }
  all = distinct(std::move(all));
  std::ranges::stable_sort(all, {}, [&](OperationId operation) { return levels_.stay(operation).start; });
  return all;
}

std::vector<OperationId> MemoryMoves::pick_operations(Kind kind, const HeldLevels::Moment& moment, Rng& rng) {
  const std::optional<std::uint32_t> item = pick_item(moment, rng);
  if (!item) return {};
  const std::vector<OperationId> users = users_at(*item, moment.device);
  if (users.empty()) return {};
  const OperationId one = users[rng.below(users.size())];
  if (kind == Kind::single) return with_bound({one});
  return with_bound(kind == Kind::evict ? users : region_around(one, rng));
}

/// Where the smooth peak grows least; that device only where there is no other.
DeviceId MemoryMoves::best_device(OperationId operation, DeviceId except) const {
  DeviceId best;
  double least = 0;
  for (const DeviceId device : devices_for(operation)) {
    if (device == except) continue;
    const double growth = levels_.growth(operation, device, runs_->stay_on(operation, device));
    if (best.valid() && growth >= least) continue;
    best = device;
    least = growth;
  }
  return best.valid() ? best : except;
}

/// All on one device, as far as they can run there.
void MemoryMoves::put_together(const std::vector<OperationId>& operations, DeviceId target) {
  for (const OperationId operation : operations) {
    const std::span<const DeviceId> able = devices_for(operation);
    const DeviceId device = std::ranges::find(able, target) == able.end() ? able.front() : target;
    levels_.place(operation, device, runs_->stay_on(operation, device));
  }
}

/// Each where it is best, the first of them elsewhere than on that device.
void MemoryMoves::put_one_by_one(const std::vector<OperationId>& operations, DeviceId except) {
  for (const OperationId operation : operations) {
    DeviceId device;
    for (const OperationId other : bound_[durations_.choices().choice_of(operation)])
      if (levels_.device_of(other).valid()) device = levels_.device_of(other);
    if (!device.valid()) device = best_device(operation, operation == operations.front() ? except : DeviceId());
    levels_.place(operation, device, runs_->stay_on(operation, device));
  }
}

/// The last first, as an operation may have been moved twice.
void MemoryMoves::undo(std::size_t first) {
  for (; before_.size() > first; before_.pop_back()) {
    levels_.remove(before_.back().operation);
    levels_.place(before_.back().operation, before_.back().device, before_.back().stay);
  }
}

/// Changes nothing that would not lower the smooth peak, unless it is blind.
void MemoryMoves::place_anew(Kind kind, Rng& rng) {
  const HeldLevels::Moment moment = pick_moment(rng);
  const std::vector<OperationId> operations = pick_operations(kind, moment, rng);
  if (operations.empty()) return;
  const std::size_t first = before_.size();
  const double peak = levels_.smooth_peak();
  for (const OperationId operation : operations)
    before_.push_back({operation, levels_.device_of(operation), levels_.stay(operation)});
  for (const OperationId operation : operations) levels_.remove(operation);
  const std::span<const DeviceId> able = devices_for(operations.front());
  if (kind == Kind::region) put_one_by_one(operations, rng.uniform() < 0.5 ? before_[first].device : DeviceId());
  else if (kind == Kind::blind) put_together(operations, able[rng.below(able.size())]);
  else put_together(operations, best_device(operations.front(), moment.device));
  if (kind != Kind::blind && !(levels_.smooth_peak() < peak)) undo(first);
}

/// Some operations later or sooner in the order of starts: a few, or many.
OperationId MemoryMoves::some_way_from(OperationId operation, double direction, Rng& rng) const {
  const auto last = static_cast<double>(runs_->order().size() - 1);
  const double place = levels_.stay(operation).start + direction * drawn_size(1, last + 1, rng);
  return runs_->order()[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
}

/// Who makes something that is held runs later, just before who reads it, or who reads it sooner, or either some way
/// off.
void MemoryMoves::reorder(Plan& plan, Rng& rng) {
  const std::optional<std::uint32_t> item = pick_item(pick_moment(rng), rng);
  if (!item || items_.users(*item).empty()) return;
  const OperationId maker = items_.item(*item).maker;
  const OperationId user = items_.users(*item)[rng.below(items_.users(*item).size())];
  const bool is_later = maker.valid() && rng.uniform() < 0.5;
  const OperationId moved = is_later ? maker : user, partner = is_later ? user : maker;
  const bool is_next = partner.valid() && rng.uniform() < kNextToOther;
  const OperationId other = is_next ? partner : some_way_from(moved, is_later ? 1 : -1, rng);
  const float apart = 0.5F / static_cast<float>(plan.priority.size());
  plan.priority[moved.index()] = plan.priority[other.index()] + (is_later ? -apart : apart);
}

Plan MemoryMoves::changed(Kind kind, std::size_t moved, Rng& rng) {
  Plan plan = plan_;
  for (Held& held : held_) held.time.reset();
  if (kind == Kind::reorder) {
    for (; moved > 0; --moved) reorder(plan, rng);
    return plan;
  }
  for (std::size_t tries = kTries * moved; before_.size() < moved && tries > 0; --tries) place_anew(kind, rng);
  for (const Placed& placed : before_) plan.device_of[placed.operation.index()] = levels_.device_of(placed.operation);
  undo(0);
  return plan;
}

}  // namespace hone
