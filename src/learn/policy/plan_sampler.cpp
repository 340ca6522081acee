#include "learn/policy/plan_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/policy/reference_order.h"

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
  ReferenceOrder order = reference_order(graph);
  const double aim = kFirstAim * order.peak_bytes / static_cast<double>(graph.devices());
  return {.due = std::move(order.places), .bytes = std::max(1.0, aim)};
}

void take_plan(const Plan& plan, Incumbent& incumbent) {
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

PlanSampler::PlanSampler(const Policy& policy, const Search& search, const GraphView& graph,
                         std::unique_ptr<PlanMaker> maker)
    : policy_(policy),
      search_(search),
      graph_(graph),
      incumbent_(first_incumbent(graph)),
      features_(features_of(graph, incumbent_.due)),
      weights_(plan_weights(policy.network(kPlanNetwork), input_of(graph, features_))),
      maker_(std::move(maker)),
      rng_(search.rng().split(kSamplerStream)) {}

MoveWeights PlanSampler::move_weights() const {
  return {policy_.network(kMoveNetwork).run(input_of(graph_, features_))};
}

/// The plan that the search started from decides nothing and is no incumbent.
void PlanSampler::take_best() {
  if (incumbent_score_ == search_.best()) return;
  const bool is_start = !incumbent_score_ && search_.best_plan() == search_.start();
  incumbent_score_ = search_.best();
  if (is_start) return;
  take_plan(search_.best_plan(), incumbent_);
  if (search_.problem().objective == Objective::peak_bytes) incumbent_.bytes = std::max(1.0, search_.best().value);
}

const Decisions& PlanSampler::draw(double temperature, double spread) {
  take_best();
  temperature *= std::pow(spread, rng_.uniform());
  plan_ = plan_of(maker_->build(weights_, incumbent_, temperature, rng_), search_.start());
  decisions_ = search_.task().encode(plan_);
  return decisions_;
}

}  // namespace hone
