#include "learn/policy/plan_in_time.h"

#include <algorithm>

namespace hone {

PlanInTime::PlanInTime(const GraphView& graph)
    : graph_(graph),
      position_(graph.operations()),
      device_(graph.operations()),
      start_(graph.operations()),
      finish_(graph.operations()),
      blame_(graph.operations()) {}

void PlanInTime::see(const Timeline& timeline, std::span<const Blame> blames) {
  order_.clear();
  for (const Timeline::Run& run : timeline.runs) {
    const auto operation = static_cast<std::uint32_t>(run.group.index());
    position_[operation] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(operation);
    device_[operation] = static_cast<std::uint32_t>(run.device.index());
    start_[operation] = run.start;
    finish_[operation] = run.finish;
  }
  makespan_ = std::max(timeline.cost.seconds, 1e-300);
  see_levels(timeline);
  std::ranges::fill(blame_, 0.0F);
  blamed_.clear();
  blame_until_.clear();
  double sum = 0;
  for (const Blame& blame : blames) {
    if (blame.share <= 0) continue;
    blamed_.push_back(static_cast<std::uint32_t>(blame.operation.index()));
    blame_until_.push_back(sum += blame.share);
  }
  for (const Blame& blame : blames)
    if (sum > 0) blame_[blame.operation.index()] = static_cast<float>(blame.share / sum);
}

void PlanInTime::see_levels(const Timeline& timeline) {
  held_.assign(timeline.levels.size() * kParts, 0);
  peak_bytes_ = 0;
  for (std::uint32_t device = 0; device < timeline.levels.size(); ++device) {
    std::size_t next = 0;  // operation that starts
    std::size_t last_part = 0;
    for (const Timeline::Level& level : timeline.levels[device]) {
      while (next < order_.size() && start_[order_[next]] <= level.seconds) ++next;
      const auto position = static_cast<std::uint32_t>(next > 0 ? next - 1 : 0);
      const std::size_t part = part_of(position);
      // What is held goes on until the next level.
      for (std::size_t between = last_part + 1; between < part; ++between)
        held_[device * kParts + between] = held_[device * kParts + last_part];
      last_part = part;
      held_[device * kParts + part] = std::max(held_[device * kParts + part], level.bytes);
      if (level.bytes <= peak_bytes_) continue;
      peak_bytes_ = level.bytes;
      peak_device_ = device;
      peak_position_ = position;
    }
  }
  peak_bytes_ = std::max(peak_bytes_, 1.0);
}

double PlanInTime::most_held(std::uint32_t device, std::uint32_t first, std::uint32_t last) const {
  const auto begin = held_.begin() + static_cast<std::ptrdiff_t>(device * kParts);
  return *std::max_element(begin + static_cast<std::ptrdiff_t>(part_of(first)),
                           begin + static_cast<std::ptrdiff_t>(part_of(last)) + 1);
}

void PlanInTime::set_stretch(const Stretch& stretch) {
  for (std::size_t i = 0; i < stretch.operations.size(); ++i) {
    order_[stretch.first + i] = stretch.operations[i];
    position_[stretch.operations[i]] = static_cast<std::uint32_t>(stretch.first + i);
  }
}

}  // namespace hone
