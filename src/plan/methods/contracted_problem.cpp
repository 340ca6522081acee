#include "plan/methods/contracted_problem.h"

#include <algorithm>

#include "plan/problem/group_contents.h"
#include "plan/problem/group_time.h"

namespace hone {
namespace {

/// Builds the workload of groups.
class Contraction {
 public:
  Contraction(const Problem& whole, const Plan& plan)
      : whole_(whole),
        workload_(whole.workload),
        plan_(plan),
        contents_(workload_, plan),
        choices_(whole, plan),
        timer_(workload_, whole.machine),
        builder_(workload_.name) {}

  Workload build(std::vector<BufferId>& buffer_of) && {
    std::vector<std::string> kinds;
    for (const DeviceKind& kind : whole_.machine.kinds) kinds.push_back(kind.name);
    builder_.set_device_kinds(std::move(kinds));
    add_buffers();
    count_shared_choices();
    for (std::size_t i = 0; i < contents_.group_count(); ++i) add_group(GroupId(i));
    buffer_of = std::move(buffer_of_);
    return std::move(builder_).build();
  }

 private:
  void add_buffers() {
    buffer_of_.resize(workload_.buffer_count());
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
      const Buffer& buffer = workload_.buffer(BufferId(i));
      if (buffer.producer.valid() && !contents_.is_stored(BufferId(i))) continue;
      Buffer kept = buffer;
      kept.producer = OperationId();
      kept.alias_of = BufferId();
      buffer_of_[i] = builder_.add_buffer(std::move(kept));
    }
  }

  void count_shared_choices() {
    groups_of_choice_.assign(choices_.count(), 0);
    for (std::size_t i = 0; i < contents_.group_count(); ++i) ++groups_of_choice_[choice_of(GroupId(i))];
  }

  std::size_t choice_of(GroupId group) const { return choices_.choice_of(contents_.instances(group).back()); }

  void add_group(GroupId group) {
    const std::span<const OperationId> instances = contents_.instances(group);
    const std::vector<BufferId> stores = contents_.stores(group);
    const Operation& last = workload_.operation(instances.back());
    Operation kernel{
        .name = last.name, .op = last.op, .operation_class = last.operation_class, .element = last.element};
    for (std::size_t kind = 0; kind < whole_.machine.kinds.size(); ++kind)
      kernel.seconds.push_back(timer_.seconds({.instances = instances, .stored = stores}, kind));
    const std::size_t choice = choice_of(group);
    if (groups_of_choice_[choice] > 1) kernel.colocate = static_cast<std::uint32_t>(choice + 1);
    builder_.add_operation(std::move(kernel), here(contents_.reads(group)), here(stores));
  }

  std::vector<BufferId> here(const std::vector<BufferId>& buffers) const {
    std::vector<BufferId> found;
    for (const BufferId buffer : buffers) found.push_back(buffer_of_[buffer.index()]);
    return found;
  }

  const Problem& whole_;
  const Workload& workload_;
  const Plan& plan_;
  GroupContents contents_;
  DeviceChoices choices_;
  GroupTimer timer_;
  WorkloadBuilder builder_;
  std::vector<BufferId> buffer_of_;
  std::vector<std::uint32_t> groups_of_choice_;
};

}  // namespace

ContractedProblem::ContractedProblem(const Problem& whole, const Plan& plan)
    : problem{.machine = whole.machine, .objective = whole.objective} {
  problem.workload = Contraction(whole, plan).build(buffer_of);
}

}  // namespace hone
