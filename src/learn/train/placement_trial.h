#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/search/search.h"

namespace hone::learn {

/// What methods that learn devices on one graph have in common: how devices of operations become decisions of a
/// search, and what learning is told about them. Everything but devices stays as it is in the start of the search.
class PlacementTrial {
 public:
  explicit PlacementTrial(Search& search);

  /// Whether there are devices to decide.
  bool decides_devices() const { return decides_devices_; }
  std::size_t devices() const { return search_.problem().machine.device_count(); }
  /// By operation, in the best plan so far.
  std::vector<std::uint32_t> best_devices() const;

  /// Decisions with these devices by operation; where one cannot run an operation, or others that share its device, the
  /// first that can.
  Decisions row(std::span<const std::uint32_t> device_of) const;
  /// By placement of so many rows: the value relative to the start of the search, or `kFailed` where the plan does not
  /// fit. Fewer than there are rows when the budget is spent.
  std::vector<double> values(std::span<const float> rows);

  /// What a plan that cannot be carried out is said to take, in units of the start; its root is the 10 of GO's reward.
  static constexpr double kFailed = 100;

 private:
  Search& search_;
  DeviceChoices choices_;
  bool decides_devices_ = false;
  double unit_ = 1;
};

}  // namespace hone::learn
