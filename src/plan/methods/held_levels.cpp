#include "plan/methods/held_levels.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

constexpr std::size_t kMoments = 128;  // of a device, at most

double sixteenth_power(double x) {
  const double second = x * x, fourth = second * second, eighth = fourth * fourth;
  return eighth * eighth;
}

}  // namespace

HeldLevels::HeldLevels(const MemoryItems& items, std::size_t operations, std::size_t devices)
    : items_(items),
      operations_(static_cast<std::uint32_t>(operations)),
      devices_(devices),
      stretch_(std::max<std::size_t>(1, (operations + kMoments - 1) / kMoments)),
      moments_(std::max<std::size_t>(1, (operations + stretch_ - 1) / stretch_)),
      stays_(operations),
      device_of_(operations),
      unplaced_(items.count()),
      latest_user_(items.count()),
      last_(items.count() * devices),
      times_(devices * moments_),
      levels_(devices * moments_),
      proposed_(moments_) {}

void HeldLevels::take_times(std::span<const Stay> stays) {
  std::ranges::copy(stays, stays_.begin());
  std::ranges::fill(last_, 0);
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    OperationId& latest = latest_user_[item];
    latest = {};
    for (const OperationId user : items_.users(item))
      if (!latest.valid() || stays_[user.index()].end > stays_[latest.index()].end) latest = user;
  }
}

/// `changes` by time: by how many bytes more is held.
void HeldLevels::choose_moments(std::size_t device, std::vector<double> changes) {
  std::partial_sum(changes.begin(), changes.end(), changes.begin());
  const auto at = [&](std::size_t time) { return changes.begin() + static_cast<std::ptrdiff_t>(time); };
  for (std::size_t k = 0; k < moments_; ++k) {
    const std::size_t end = std::min<std::size_t>(operations_, (k + 1) * stretch_);
    times_[device * moments_ + k] =
        static_cast<std::uint32_t>(std::max_element(at(k * stretch_), at(std::max(end, k * stretch_ + 1))) - at(0));
  }
  profile_ = std::move(changes);
}

void HeldLevels::clear(std::span<const Stay> stays) {
  take_times(stays);
  std::ranges::fill(device_of_, DeviceId());
  std::ranges::fill(levels_, 0);
  std::vector<double> changes(operations_ + 1);
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const MemoryItems::Item& what = items_.item(item);
    unplaced_[item] = static_cast<std::uint32_t>(items_.users(item).size());
    changes[begin_on(item, devices_)] += what.bytes;
    if (what.maker.valid() && !what.kept)
      changes[std::max(stays_[what.maker.index()].end, last_unplaced(item))] -= what.bytes;
  }
  for (std::size_t device = 0; device < devices_; ++device) choose_moments(device, changes);
  unit_bytes_ = std::max(1.0, std::ranges::max(profile_) / static_cast<double>(devices_));
}

void HeldLevels::settle(std::span<const Stay> stays, std::span<const DeviceId> device_of) {
  take_times(stays);
  std::ranges::copy(device_of, device_of_.begin());
  std::ranges::fill(unplaced_, 0);
  for (std::size_t i = 0; i < operations_; ++i)
    for (const std::uint32_t item : items_.used_by(OperationId(i))) {
      std::uint32_t& last = last_[item * devices_ + device_of[i].index()];
      last = std::max(last, stays_[i].end);
    }
  for (std::size_t device = 0; device < devices_; ++device) {
    std::vector<double> changes(operations_ + 1);
    for (std::uint32_t item = 0; item < items_.count(); ++item) {
      const std::uint32_t begin = begin_on(item, device), end = end_on(item, device);
      if (end <= begin) continue;
      changes[begin] += items_.item(item).bytes;
      changes[end] -= items_.item(item).bytes;
    }
    choose_moments(device, std::move(changes));
    for (std::size_t k = device * moments_; k < (device + 1) * moments_; ++k)
      levels_[k] = profile_[times_[k]] / unit_bytes_;
  }
}

/// That is not before a time.
std::size_t HeldLevels::first_moment(std::size_t device, std::uint32_t time) const {
  const std::size_t stretch = time / stretch_;
  if (stretch >= moments_) return moments_;
  return stretch + (times_[device * moments_ + stretch] < time ? 1 : 0);
}

/// When the last user ends that is not placed; 0 when all are.
std::uint32_t HeldLevels::last_unplaced(std::uint32_t item) const {
  if (unplaced_[item] == 0) return 0;
  const OperationId latest = latest_user_[item];
  if (!device_of_[latest.index()].valid()) return stays_[latest.index()].end;
  return last_on(item, DeviceId());
}

/// When the last user on a device ends, or the last that is on none.
std::uint32_t HeldLevels::last_on(std::uint32_t item, DeviceId device) const {
  std::uint32_t last = 0;
  for (const OperationId user : items_.users(item))
    if (device_of_[user.index()] == device) last = std::max(last, stays_[user.index()].end);
  return last;
}

/// When an item comes to lie on a device, if it ever does.
std::uint32_t HeldLevels::begin_on(std::uint32_t item, std::size_t device) const {
  const OperationId maker = items_.item(item).maker;
  if (!maker.valid()) return 0;
  const DeviceId home = device_of_[maker.index()];
  const bool is_home = !home.valid() || home.index() == device;
  return is_home ? stays_[maker.index()].start : stays_[maker.index()].end;
}

/// Until when an item is held on a device; 0 when it never is.
std::uint32_t HeldLevels::end_on(std::uint32_t item, std::size_t device) const {
  const MemoryItems::Item& what = items_.item(item);
  const std::uint32_t last = last_[item * devices_ + device];
  if (!what.maker.valid()) return last == 0 ? 0 : operations_;
  const DeviceId home = device_of_[what.maker.index()];
  if (!home.valid() || home.index() != device) return last;
  return what.kept ? operations_ : std::max({last, stays_[what.maker.index()].end, last_unplaced(item)});
}

bool HeldLevels::holds(std::uint32_t item, const Moment& moment) const {
  const std::size_t device = moment.device.index();
  return begin_on(item, device) <= moment.time && moment.time < end_on(item, device);
}

void HeldLevels::add(std::uint32_t item, std::size_t device, double sign) {
  const std::uint32_t end = end_on(item, device);
  if (end == 0) return;
  const std::size_t last = first_moment(device, end);
  const double change = sign * items_.item(item).bytes / unit_bytes_;
  double* const levels = levels_.data() + device * moments_;
  for (std::size_t k = first_moment(device, begin_on(item, device)); k < last; ++k) levels[k] += change;
}

/// Whatever may lie elsewhere, or for another time, when an operation comes to a device or leaves it.
void HeldLevels::add_around(OperationId operation, DeviceId device, double sign) {
  for (const std::uint32_t item : items_.made_by(operation))
    for (std::size_t i = 0; i < devices_; ++i) add(item, i, sign);
  for (const std::uint32_t item : items_.used_by(operation)) {
    add(item, device.index(), sign);
    const OperationId maker = items_.item(item).maker;
    const DeviceId home = maker.valid() ? device_of_[maker.index()] : DeviceId();
    if (home.valid() && home != device) add(item, home.index(), sign);
  }
}

void HeldLevels::place(OperationId operation, DeviceId device, Stay stay) {
  add_around(operation, device, -1);
  device_of_[operation.index()] = device;
  stays_[operation.index()] = stay;
  for (const std::uint32_t item : items_.used_by(operation)) {
    --unplaced_[item];
    std::uint32_t& last = last_[item * devices_ + device.index()];
    last = std::max(last, stay.end);
  }
  add_around(operation, device, 1);
}

void HeldLevels::remove(OperationId operation) {
  const DeviceId device = device_of_[operation.index()];
  add_around(operation, device, -1);
  device_of_[operation.index()] = {};
  for (const std::uint32_t item : items_.used_by(operation)) {
    ++unplaced_[item];
    std::uint32_t& last = last_[item * devices_ + device.index()];
    if (last == stays_[operation.index()].end) last = last_on(item, device);
  }
  add_around(operation, device, 1);
}

void HeldLevels::propose(std::size_t device, Stay held, double bytes) {
  const std::size_t first = first_moment(device, held.start), last = first_moment(device, held.end);
  if (first >= last) return;
  for (std::size_t k = first; k < last; ++k) proposed_[k] += bytes / unit_bytes_;
  proposed_from_ = std::min(proposed_from_, first);
  proposed_to_ = std::max(proposed_to_, last);
}

void HeldLevels::propose_reads(OperationId operation, std::size_t device, Stay stay) {
  for (const std::uint32_t item : items_.used_by(operation)) {
    const MemoryItems::Item& what = items_.item(item);
    const std::uint32_t held = end_on(item, device);
    if (!what.maker.valid()) {
      if (held == 0) propose(device, {0, operations_}, what.bytes);
      continue;
    }
    propose(device, {held == 0 ? stays_[what.maker.index()].end : held, stay.end}, what.bytes);
  }
}

/// What is given back where items were made, as this reader of theirs goes elsewhere.
double HeldLevels::relief_elsewhere(OperationId operation, DeviceId device) {
  const std::uint32_t end = stays_[operation.index()].end;
  double relief = 0;
  for (const std::uint32_t item : items_.used_by(operation)) {
    const MemoryItems::Item& what = items_.item(item);
    const DeviceId home = what.maker.valid() ? device_of_[what.maker.index()] : DeviceId();
    if (!home.valid() || home == device || what.kept || end_on(item, home.index()) != end) continue;
    device_of_[operation.index()] = device;  // as if it were placed
    const std::uint32_t without = end_on(item, home.index());
    device_of_[operation.index()] = {};
    const std::size_t last = first_moment(home.index(), end);
    const double* const levels = levels_.data() + home.index() * moments_;
    for (std::size_t k = first_moment(home.index(), without); k < last; ++k)
      relief += sixteenth_power(levels[k]) - sixteenth_power(levels[k] - what.bytes / unit_bytes_);
  }
  return relief;
}

double HeldLevels::growth(OperationId operation, DeviceId device, Stay stay) {
  const std::size_t at = device.index();
  proposed_from_ = moments_;
  proposed_to_ = 0;
  propose_reads(operation, at, stay);
  for (const std::uint32_t item : items_.made_by(operation)) {
    const MemoryItems::Item& what = items_.item(item);
    const std::uint32_t last = last_[item * devices_ + at];
    const std::uint32_t end = what.kept ? operations_ : std::max({last, stay.end, last_unplaced(item)});
    if (last == 0) {
      propose(at, {stay.start, end}, what.bytes);
    } else {
      propose(at, {stay.start, begin_on(item, at)}, what.bytes);
      propose(at, {last, end}, what.bytes);
    }
  }
  double growth = -relief_elsewhere(operation, device);
  const double* const levels = levels_.data() + at * moments_;
  for (std::size_t k = proposed_from_; k < proposed_to_; ++k) {
    growth += sixteenth_power(levels[k] + proposed_[k]) - sixteenth_power(levels[k]);
    proposed_[k] = 0;
  }
  return growth;
}

double HeldLevels::smooth_peak() const {
  double sum = 0;
  for (const double level : levels_) sum += sixteenth_power(level);
  return sum;
}

double HeldLevels::peak_bytes() const { return highest().level * unit_bytes_; }

HeldLevels::Moment HeldLevels::highest_on(DeviceId device) const {
  const auto first = levels_.begin() + static_cast<std::ptrdiff_t>(device.index() * moments_);
  const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(moments_));
  return {device, times_[static_cast<std::size_t>(most - levels_.begin())], *most};
}

HeldLevels::Moment HeldLevels::highest() const {
  Moment highest = highest_on(DeviceId(0));
  for (std::size_t device = 1; device < devices_; ++device)
    if (const Moment moment = highest_on(DeviceId(device)); moment.level > highest.level) highest = moment;
  return highest;
}

}  // namespace hone
