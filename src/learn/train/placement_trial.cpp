#include "learn/train/placement_trial.h"

#include <algorithm>

namespace hone::learn {

PlacementTrial::PlacementTrial(Search& search) : search_(search), choices_(search.problem()) {
  decides_devices_ =
      std::ranges::find(search.task().sites(), PlanField::device, &Site::field) != search.task().sites().end();
  const Score& start = search.curve().front().score;
  if (start.value > 0) unit_ = start.value;
}

std::vector<std::uint32_t> PlacementTrial::best_devices() const {
  std::vector<std::uint32_t> devices;
  for (std::size_t i = 0; i < search_.problem().workload.operation_count(); ++i)
    devices.push_back(search_.best_plan().device(OperationId(i)).index());
  return devices;
}

Decisions PlacementTrial::row(std::span<const std::uint32_t> device_of) const {
  Plan plan = by_operation(search_.start(), search_.problem().workload);
  std::vector<DeviceId> chosen(choices_.count());
  for (std::size_t i = 0; i < device_of.size(); ++i) {
    const std::size_t choice = choices_.choice_of(OperationId(i));
    if (!chosen[choice].valid()) {
      const std::vector<DeviceId>& able = choices_.devices(choice);
      const DeviceId wanted(device_of[i]);
      chosen[choice] = std::ranges::binary_search(able, wanted) ? wanted : able.front();
    }
    plan.device_of[i] = chosen[choice];
  }
  return search_.task().encode(plan);
}

std::vector<double> PlacementTrial::values(std::span<const float> rows) {
  std::vector<double> values;
  for (const Cost& cost : search_.evaluate(rows)) {
    const Score score = search_.score(cost);
    values.push_back(score.excess > 0 ? kFailed : std::min(kFailed, score.value / unit_));
  }
  return values;
}

}  // namespace hone::learn
