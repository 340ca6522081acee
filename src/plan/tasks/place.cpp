#include <algorithm>
#include <map>

#include "base/error.h"
#include "plan/search/task.h"

namespace hone {
namespace {

/// A site for every choice of device, with as many options as devices can run it.
class PlaceTask final : public Task {
 public:
  explicit PlaceTask(const Problem& problem) : choices_(problem), operations_(problem.workload.operation_count()) {
    for (std::size_t choice = 0; choice < choices_.count(); ++choice)
      sites_.push_back({.options = static_cast<std::uint32_t>(choices_.devices(choice).size())});
    std::map<std::vector<DeviceId>, std::uint32_t> first_of;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const std::size_t choice = choices_.choice_of(OperationId(i));
      const std::vector<DeviceId>& devices = choices_.devices(choice);
      const auto [list, is_new] = first_of.emplace(devices, static_cast<std::uint32_t>(devices_.size()));
      if (is_new) devices_.insert(devices_.end(), devices.begin(), devices.end());
      operations_[i] = {static_cast<std::uint32_t>(choice), list->second, sites_[choice].options};
    }
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Chooser& operation = operations_[i];
      plan.device_of[i] = devices_[operation.first + option_of(keys[operation.choice], operation.options)];
    }
  }

  Decisions encode(const Plan& plan) const override {
    Decisions keys(choices_.count());
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const std::size_t choice = choices_.choice_of(OperationId(i));
      const std::vector<DeviceId>& devices = choices_.devices(choice);
      const auto found = std::ranges::find(devices, plan.device_of[i]);
      HONE_CHECK(found != devices.end(), "an operation is on a device that cannot run it");
      keys[choice] = key_of(static_cast<std::uint32_t>(found - devices.begin()), sites_[choice].options);
    }
    return keys;
  }

  std::vector<std::uint32_t> sites_about(OperationId operation) const override {
    return {static_cast<std::uint32_t>(choices_.choice_of(operation))};
  }

 private:
  /// Where the devices of an operation begin, and how many there are; next to one another, since `apply` is called for
  /// every plan that is tried.
  struct Chooser {
    std::uint32_t choice = 0, first = 0, options = 0;
  };

  DeviceChoices choices_;
  std::vector<Chooser> operations_;
  std::vector<DeviceId> devices_;  // lists that differ, one after another
};

const TaskKind place_kind = TaskKind::without_parameters<PlaceTask>("place", "which device runs what");

}  // namespace
}  // namespace hone
