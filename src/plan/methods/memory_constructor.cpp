#include "plan/methods/memory_constructor.h"

#include <algorithm>

#include "base/error.h"
#include "plan/methods/plan_order.h"

namespace hone {
namespace {

/// Every operation at its place in an order.
std::vector<Stay> stays_in_order(std::span<const OperationId> order) {
  std::vector<Stay> stays(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) stays[order[rank].index()] = {rank, rank + 1};
  return stays;
}

}  // namespace

MemoryConstructor::MemoryConstructor(const Durations& durations, HeldLevels& levels)
    : durations_(durations), levels_(levels), memory_(durations.problem().workload), clock_(durations) {}

MemoryConstructor::Offer MemoryConstructor::offer_on(OperationId operation, DeviceId device) {
  const double start = clock_.start_on(operation, device);
  return {device, start, levels_.growth(operation, device, clock_.stay(operation, device, start))};
}

/// Growths count in units of the difference that they make, so that preferences need no unit.
MemoryConstructor::Offer MemoryConstructor::best_offer(OperationId operation, std::span<const float> preference) {
  const std::size_t choice = durations_.choices().choice_of(operation);
  if (decided_[choice].valid()) return {decided_[choice], clock_.start_on(operation, decided_[choice])};
  offers_.clear();
  for (const DeviceId device : durations_.choices().devices(choice)) offers_.push_back(offer_on(operation, device));
  const auto [least, most] = std::ranges::minmax(offers_, {}, &Offer::growth);
  if (preference.empty()) return least;
  const double difference = std::max(most.growth - least.growth, 1e-300);
  const double best = least.growth;
  return std::ranges::min(offers_, {}, [&](const Offer& offer) {
    return (offer.growth - best) / difference - preference[offer.device.index()];
  });
}

Plan MemoryConstructor::construct(const MemoryGuidance& guidance, const Plan& start) {
  const std::size_t devices = durations_.problem().machine.device_count();
  HONE_CHECK(guidance.preference.empty() || guidance.preference.size() == guidance.keys.size() * devices);
  Plan plan = start;
  plan.priority = guidance.keys;
  const std::vector<OperationId> order = order_of(memory_, durations_.problem().workload, plan);
  levels_.clear(stays_in_order(order));
  clock_.clear(start.waiting);
  decided_.assign(durations_.choices().count(), DeviceId());
  for (const OperationId operation : order) {
    const std::span<const float> all = guidance.preference;
    const Offer offer = best_offer(operation, all.empty() ? all : all.subspan(operation.index() * devices, devices));
    decided_[durations_.choices().choice_of(operation)] = offer.device;
    plan.device_of[operation.index()] = offer.device;
    levels_.place(operation, offer.device, clock_.stay(operation, offer.device, offer.start));
    clock_.place(operation, offer.device, offer.start);
  }
  return in_order(std::move(plan), order);
}

}  // namespace hone
