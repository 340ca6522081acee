#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/policy/graph_view.h"
#include "plan/problem/timeline.h"
#include "plan/search/evaluator.h"

namespace hone {

/// A part of an order, from a position on.
struct Stretch {
  std::uint32_t first = 0;
  std::span<const std::uint32_t> operations;
};

/// A plan as it is carried out: who runs when and where, and who is to blame for what it costs. Changes to devices and
/// order are followed, times and blame stay as they were when the plan was last played through.
class PlanInTime {
 public:
  explicit PlanInTime(const GraphView& graph);

  /// Takes over a plan that was played through; `blames` says who makes it cost what it costs.
  void see(const Timeline& timeline, std::span<const Blame> blames);

  const GraphView& graph() const { return graph_; }
  /// Operations as they start.
  std::span<const std::uint32_t> order() const { return order_; }
  std::uint32_t position(std::uint32_t operation) const { return position_[operation]; }
  std::uint32_t device(std::uint32_t operation) const { return device_[operation]; }
  double start(std::uint32_t operation) const { return start_[operation]; }
  double finish(std::uint32_t operation) const { return finish_[operation]; }
  double makespan() const { return makespan_; }
  /// Share of all blame.
  float blame(std::uint32_t operation) const { return blame_[operation]; }
  /// Operations to blame, and their blame added up.
  std::span<const std::uint32_t> blamed() const { return blamed_; }
  std::span<const double> blame_until() const { return blame_until_; }
  /// When and where most is held: the position of the last operation started by then.
  std::uint32_t peak_position() const { return peak_position_; }
  std::uint32_t peak_device() const { return peak_device_; }
  double peak_bytes() const { return peak_bytes_; }
  /// Most that a device holds while the operations from one position to another start, about.
  double most_held(std::uint32_t device, std::uint32_t first, std::uint32_t last) const;

  void set_device(std::uint32_t operation, std::uint32_t device) { device_[operation] = device; }
  /// Changes the order where the same operations stand in another one.
  void set_stretch(const Stretch& stretch);

 private:
  static constexpr std::size_t kParts = 64;

  void see_levels(const Timeline& timeline);
  std::size_t part_of(std::uint32_t position) const {
    return position * kParts / std::max<std::size_t>(1, order_.size());
  }

  const GraphView& graph_;
  std::vector<std::uint32_t> order_, position_, device_;
  std::vector<double> start_, finish_;
  std::vector<float> blame_;
  std::vector<std::uint32_t> blamed_;
  std::vector<double> blame_until_;
  std::vector<double> held_;  // by device * kParts + part of the order: the most
  std::uint32_t peak_position_ = 0, peak_device_ = 0;
  double peak_bytes_ = 1, makespan_ = 1;
};

}  // namespace hone
