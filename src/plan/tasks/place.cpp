#include <algorithm>
#include <map>

#include "base/error.h"
#include "plan/search/task.h"

namespace hone {
namespace {

/// A site for every choice of device, with as many options as devices can run it.
class PlaceTask final : public Task {
 public:
  PlaceTask(const Problem& problem, const Plan& start)
      : choices_(problem, start), groups_(group_count(problem, start)) {
    std::map<std::vector<DeviceId>, std::uint32_t> first_of;
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
      const std::size_t choice = choices_.choice_of(OperationId(i));
      const std::vector<DeviceId>& devices = choices_.devices(choice);
      const auto options = static_cast<std::uint32_t>(devices.size());
      const auto group = static_cast<std::uint32_t>(start.group(OperationId(i)).index());
      if (choice == sites().size()) add_site({.field = PlanField::device, .entry = group, .options = options});
      relate(choice, OperationId(i));
      const auto [list, is_new] = first_of.emplace(devices, static_cast<std::uint32_t>(devices_.size()));
      if (is_new) devices_.insert(devices_.end(), devices.begin(), devices.end());
      groups_[group] = {static_cast<std::uint32_t>(choice), list->second, options};
    }
  }

  void apply(std::span<const float> keys, Plan& plan) const override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Chooser& group = groups_[i];
      plan.device_of[i] = devices_[group.first + option_of(keys[group.choice], group.options)];
    }
  }

  Decisions encode(const Plan& plan) const override {
    Decisions keys(choices_.count());
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Chooser& group = groups_[i];
      const std::vector<DeviceId>& devices = choices_.devices(group.choice);
      const auto found = std::ranges::find(devices, plan.device_of[i]);
      HONE_CHECK(found != devices.end(), "an operation is on a device that cannot run it");
      keys[group.choice] = key_of(static_cast<std::uint32_t>(found - devices.begin()), group.options);
    }
    return keys;
  }

 private:
  /// Where the devices of a group begin, and how many there are; next to one another, since `apply` is called for
  /// every plan that is tried.
  struct Chooser {
    std::uint32_t choice = 0, first = 0, options = 0;
  };

  DeviceChoices choices_;
  std::vector<Chooser> groups_;
  std::vector<DeviceId> devices_;  // lists that differ, one after another
};

const TaskKind place_kind = TaskKind::without_parameters<PlaceTask>("place", "which device runs what");

}  // namespace
}  // namespace hone
