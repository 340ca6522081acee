#include "learn/policy/moving_plan.h"

#include <algorithm>

#include "plan/simulate/blame.h"

namespace hone {

MovingPlan::MovingPlan(Search& search, const GraphView& graph, double focus)
    : search_(search),
      graph_(graph),
      plan_(graph),
      moves_(plan_, focus),
      device_site_(graph.operations(), kNone),
      priority_site_(graph.operations(), kNone) {
  find_sites();
}

void MovingPlan::find_sites() {
  const Task& task = search_.task();
  for (std::size_t operation = 0; operation < graph_.operations(); ++operation)
    for (const std::uint32_t index : task.sites_about(OperationId(operation))) {
      const Site& site = task.sites()[index];
      if (site.field == PlanField::device && site.options >= 2) device_site_[operation] = index;
      if (site.field == PlanField::priority) priority_site_[operation] = index;
    }
}

bool MovingPlan::play() {
  const std::optional<Timeline> timeline = search_.trace(decisions_);
  if (!timeline || search_.spent()) return false;
  if (timeline->runs.size() != graph_.operations()) return false;  // it cannot be carried out
  Plan plan = search_.start();
  search_.task().apply(decisions_, plan);
  plan_.see(*timeline, blame_for(search_.problem(), plan, *timeline));
  // From now on keys say what happens: the plan is the same, but an operation that moves in the order is ahead of
  // others.
  write_order({0, plan_.order()}, decisions_);
  return true;
}

void MovingPlan::write_order(const Stretch& stretch, std::span<float> row) const {
  const auto operations = static_cast<float>(graph_.operations());
  for (std::size_t i = 0; i < stretch.operations.size(); ++i)
    if (const std::uint32_t site = priority_site_[stretch.operations[i]]; site != kNone)
      row[site] = 1 - (static_cast<float>(stretch.first + i) + 0.5F) / operations;
}

void MovingPlan::write(const PlanMove& move, std::span<float> row) {
  if (move.is_in_order()) {
    write_order(moves_.stretch(move), row);
    return;
  }
  const DeviceChoices& choices = graph_.choices();
  for (const std::uint32_t operation : move.operations) {
    const std::uint32_t site = device_site_[operation];
    if (site == kNone) continue;
    const DeviceId device(move.device_for(operation, plan_.device(move.operation)));
    const std::vector<DeviceId>& devices = choices.devices(choices.choice_of(OperationId(operation)));
    const auto option = static_cast<std::uint32_t>(std::ranges::lower_bound(devices, device) - devices.begin());
    row[site] = key_of(option, static_cast<std::uint32_t>(devices.size()));
  }
}

void MovingPlan::take(const PlanMove& move) {
  write(move, decisions_);
  if (move.is_in_order()) {
    plan_.set_stretch(moves_.stretch(move));
    return;
  }
  const std::uint32_t from = plan_.device(move.operation);
  for (const std::uint32_t operation : move.operations) plan_.set_device(operation, move.device_for(operation, from));
}

}  // namespace hone
