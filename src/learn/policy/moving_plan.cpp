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
      device_site_(graph.works(), kNone),
      key_site_(graph.works(), kNone) {
  find_sites();
}

/// A task does not say which of its keys is a work's priority, so all of them get different values to tell them by.
void MovingPlan::find_sites() {
  const Task& task = search_.task();
  const std::vector<Site>& sites = task.sites();
  Decisions probe(sites.size());
  for (std::size_t i = 0; i < probe.size(); ++i)
    probe[i] = static_cast<float>(i + 1) / static_cast<float>(probe.size() + 1);
  Plan plan = search_.start();
  task.apply(probe, plan);
  for (std::size_t work = 0; work < graph_.works(); ++work)
    for (const std::uint32_t site : task.sites_about(WorkId(work))) {
      if (sites[site].options >= 2) device_site_[work] = site;
      if (sites[site].options == 0 && plan.priority_of(GroupId(work)) == probe[site]) key_site_[work] = site;
    }
}

bool MovingPlan::play() {
  if (search_.evaluate(decisions_).empty() || search_.spent()) return false;
  Plan plan = search_.start();
  search_.task().apply(decisions_, plan);
  const Timeline timeline = simulator_.trace(plan);
  if (timeline.runs.size() != graph_.works()) return false;  // it cannot be carried out
  plan_.see(timeline, blame_for(search_.problem(), plan, timeline));
  // From now on keys say what happens: the plan is the same, but a work that moves in the order is ahead of others.
  write_order({0, plan_.order()}, decisions_);
  return true;
}

void MovingPlan::write_order(const Stretch& stretch, std::span<float> row) const {
  const auto works = static_cast<float>(graph_.works());
  for (std::size_t i = 0; i < stretch.works.size(); ++i)
    if (const std::uint32_t site = key_site_[stretch.works[i]]; site != kNone)
      row[site] = 1 - (static_cast<float>(stretch.first + i) + 0.5F) / works;
}

void MovingPlan::write(const PlanMove& move, std::span<float> row) {
  if (move.is_in_order()) {
    write_order(moves_.stretch(move), row);
    return;
  }
  const DeviceChoices& choices = graph_.choices();
  for (const std::uint32_t work : move.works) {
    const std::uint32_t site = device_site_[work];
    if (site == kNone) continue;
    const DeviceId device(move.device_for(work, plan_.device(move.work)));
    const std::vector<DeviceId>& devices = choices.devices(choices.choice_of(WorkId(work)));
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
  const std::uint32_t from = plan_.device(move.work);
  for (const std::uint32_t work : move.works) plan_.set_device(work, move.device_for(work, from));
}

}  // namespace hone
