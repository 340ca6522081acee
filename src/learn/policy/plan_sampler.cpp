#include "learn/policy/plan_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/policy/lean_order.h"

namespace hone {
namespace {

constexpr std::uint64_t kSamplerStream = 0x5EED;  // of random numbers, apart from that of the genetic algorithm

/// Peak bytes that constructions aim at before any plan is known: some more than an even share of what one device
/// takes.
constexpr double kFirstAim = 1.2;

}  // namespace

Plan plan_of(const Constructed& made, Plan plan) {
  plan.priority.resize(made.order.size());
  for (std::size_t i = 0; i < made.order.size(); ++i) plan.priority[made.order[i]] = -static_cast<float>(i);
  for (std::size_t operation = 0; operation < made.device_of.size(); ++operation)
    plan.device_of[operation] = DeviceId(made.device_of[operation]);
  return plan;
}

Incumbent first_incumbent(const GraphView& graph) {
  LeanOrder order = lean_order(graph);
  const double aim = kFirstAim * order.peak_bytes / static_cast<double>(graph.devices());
  return {.due = std::move(order.places), .bytes = std::max(1.0, aim)};
}

void lean_on(const Plan& plan, Incumbent& incumbent) {
  incumbent.device_of.clear();
  for (const DeviceId device : plan.device_of) incumbent.device_of.push_back(device.index());
  std::vector<std::uint32_t> order(plan.device_of.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::uint32_t operation) { return plan.priority_of(GroupId(operation)); });
  incumbent.position.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    incumbent.position[order[i]] = static_cast<float>(i) / static_cast<float>(order.size());
}

PlanSampler::PlanSampler(const Search& search, const Policy& policy)
    : search_(search),
      graph_(search.problem()),
      incumbent_(first_incumbent(graph_)),
      features_(features_of(graph_, incumbent_.due)),
      taste_(policy.taste(graph_, features_)),
      maker_(make_plan_maker(policy.head(), graph_)),
      rng_(search.rng().split(kSamplerStream)) {}

/// The plan that the search started from decides nothing and is nothing to lean on.
void PlanSampler::lean_on_best() {
  if (leaned_on_ == search_.best()) return;
  const bool is_start = !leaned_on_ && search_.best_plan() == search_.start();
  leaned_on_ = search_.best();
  if (is_start) return;
  lean_on(search_.best_plan(), incumbent_);
  if (search_.problem().objective == Objective::peak_bytes) incumbent_.bytes = std::max(1.0, search_.best().value);
}

const Decisions& PlanSampler::draw(double heat, double spread) {
  lean_on_best();
  heat *= std::pow(spread, rng_.uniform());
  plan_ = plan_of(maker_->build(taste_, incumbent_, heat, rng_), search_.start());
  decisions_ = search_.task().encode(plan_);
  return decisions_;
}

}  // namespace hone
