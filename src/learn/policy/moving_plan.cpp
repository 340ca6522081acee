#include "learn/policy/moving_plan.h"

#include <algorithm>

#include "plan/simulate/blame.h"

namespace hone {

MovingPlan::MovingPlan(Search& search, const GraphView& graph, double focus)
    : search_(search),
      graph_(graph),
      plan_(graph),
      moves_(plan_, focus),
      simulator_(std::make_shared<SimulatorTables>(search.problem().workload, search.problem().machine)),
      device_site_(graph.operations(), kNone),
      key_site_(graph.operations(), kNone) {
  find_sites();
}

/// A task does not say which of its keys is an operation's priority, so all of them get different values to tell them
/// by.
void MovingPlan::find_sites() {
  const Task& task = search_.task();
  const std::vector<Site>& sites = task.sites();
  Decisions probe(sites.size());
  for (std::size_t i = 0; i < probe.size(); ++i)
    probe[i] = static_cast<float>(i + 1) / static_cast<float>(probe.size() + 1);
  Plan plan = search_.start();
  task.apply(probe, plan);
  for (std::size_t operation = 0; operation < graph_.operations(); ++operation)
    for (const std::uint32_t site : task.sites_about(OperationId(operation))) {
      if (sites[site].options >= 2) device_site_[operation] = site;
      if (sites[site].options == 0 && plan.priority_of(GroupId(operation)) == probe[site]) key_site_[operation] = site;
    }
}

bool MovingPlan::play() {
  if (search_.evaluate(decisions_).empty() || search_.spent()) return false;
  Plan plan = search_.start();
  search_.task().apply(decisions_, plan);
  const Timeline timeline = simulator_.trace(plan);
  if (timeline.runs.size() != graph_.operations()) return false;  // it cannot be carried out
  plan_.see(timeline, blame_for(search_.problem(), plan, timeline));
  // From now on keys say what happens: the plan is the same, but an operation that moves in the order is ahead of
  // others.
  write_order({0, plan_.order()}, decisions_);
  return true;
}

void MovingPlan::write_order(const Stretch& stretch, std::span<float> row) const {
  const auto operations = static_cast<float>(graph_.operations());
  for (std::size_t i = 0; i < stretch.operations.size(); ++i)
    if (const std::uint32_t site = key_site_[stretch.operations[i]]; site != kNone)
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
