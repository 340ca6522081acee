#include "plan/emit/hlo_fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/distinct.h"
#include "base/error.h"
#include "formats/hlo/read.h"
#include "formats/hlo/sample_test.h"
#include "formats/hlo/workload.h"
#include "plan/emit/hlo_schedule.h"
#include "plan/emit/module_meaning_test.h"
#include "plan/emit/random_module_test.h"
#include "plan/problem/grouped_plan_test.h"

namespace hone {
namespace {

using Instances = std::vector<std::set<OperationId>>;  // by group

Instances instances_of(const Plan& plan) {
  Instances instances(plan.group_count());
  for (std::size_t i = 0; i < plan.group_of.size(); ++i) instances[plan.group_of[i].index()].emplace(i);
  for (const Plan::Copy& copy : plan.copies) instances[copy.group.index()].insert(copy.operation);
  return instances;
}

/// Groups such that each comes after those it reads from; nothing when there is no such order.
std::optional<std::vector<GroupId>> order_without_cycles(const Workload& workload, const Plan& plan) {
  const Instances instances = instances_of(plan);
  std::vector<std::set<GroupId>> before(instances.size());
  for (std::size_t group = 0; group < instances.size(); ++group)
    for (const OperationId operation : instances[group])
      for (const BufferId input : workload.inputs(operation)) {
        const OperationId producer = workload.buffer(input).producer;
        if (producer.valid() && !instances[group].contains(producer)) before[group].insert(plan.group(producer));
      }
  std::vector<GroupId> order;
  std::set<GroupId> done;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t group = 0; group < before.size(); ++group)
      if (!done.contains(GroupId(group)) && std::ranges::includes(done, before[group])) {
        order.emplace_back(group);
        done.emplace(group);
        moved = true;
      }
  }
  if (order.size() < before.size()) return std::nullopt;
  return order;
}

/// Merges groups and adds copies at random, as long as no groups wait for one another in a circle.
Plan random_groups(const Workload& workload, Rng& rng) {
  std::vector<std::uint32_t> group_of(workload.operation_count());
  for (std::uint32_t i = 0; i < group_of.size(); ++i) group_of[i] = i;
  const auto numbered = [](const std::vector<std::uint32_t>& groups) {
    const std::vector<std::uint32_t> names = distinct(groups);
    std::vector<std::uint32_t> result;
    for (const std::uint32_t group : groups)
      result.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(names, group) - names.begin()));
    return result;
  };
  for (std::size_t i = 0; i < 2 * group_of.size(); ++i) {
    std::vector<std::uint32_t> merged = group_of;
    std::ranges::replace(merged, group_of[rng.below(group_of.size())], group_of[rng.below(group_of.size())]);
    if (order_without_cycles(workload, with_groups(numbered(merged)))) group_of = merged;
  }
  Plan plan = with_groups(numbered(group_of));
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    const OperationId operation(rng.below(group_of.size()));
    const GroupId group(rng.below(plan.group_count()));
    Plan more = plan;
    more.copies.push_back({operation, group});
    std::ranges::sort(more.copies);
    const bool is_new = !instances_of(plan)[group.index()].contains(operation);
    if (is_new && order_without_cycles(workload, more)) plan = more;
  }
  return plan;
}

std::string emitted(const hlo::Module& module, const Workload& workload, const Plan& plan) {
  Execution execution{.groups = order_without_cycles(workload, plan).value()};
  execution.steps.resize(workload.operation_count());
  return scheduled_text(module, plan, execution);
}

std::string without_number(std::string_view name) {
  const std::size_t clone = name.find(".clone.");
  return std::string(name.substr(0, clone));
}

/// The operations of every fusion that hone wrote, under the names of the original.
std::multiset<std::multiset<std::string>> fused_names(const hlo::Module& module,
                                                      const std::set<std::string>& original) {
  std::multiset<std::multiset<std::string>> all;
  for (const hlo::Computation& computation : module.computations) {
    if (!computation.name.starts_with("fused_computation.")) continue;
    std::multiset<std::string> names;
    for (const hlo::Instruction& instruction : module.instructions_of(computation))
      if (const std::string name = without_number(instruction.name); original.contains(name)) names.insert(name);
    all.insert(names);
  }
  return all;
}

std::multiset<std::multiset<std::string>> planned_names(const Workload& workload, const Plan& plan) {
  std::multiset<std::multiset<std::string>> all;
  for (const std::set<OperationId>& group : instances_of(plan)) {
    std::multiset<std::string> names;
    for (const OperationId operation : group) names.insert(workload.operation(operation).name);
    if (names.size() > 1) all.insert(names);
  }
  return all;
}

/// Names are unique, in all of what hone wrote and, where the original has none twice, in the whole module.
void expect_names_once(const hlo::Module& module) {
  std::set<std::string_view> names;
  for (const hlo::Instruction& instruction : module.instructions)
    EXPECT_TRUE(names.insert(instruction.name).second) << instruction.name;
  for (const hlo::Computation& computation : module.computations)
    EXPECT_TRUE(names.insert(computation.name).second) << computation.name;
}

void expect_same_meaning(const hlo::Module& module, const Plan& plan) {
  const Workload workload = hlo::to_workload(module);
  const std::string text = emitted(module, workload, plan);
  SCOPED_TRACE(text);
  const hlo::Module found = hlo::read_text(text);
  EXPECT_TRUE(found.is_scheduled());
  const ModuleMeaning before(module), after(found);
  EXPECT_EQ(after.result(), before.result());
  for (const auto& [value, count] : before.computed()) EXPECT_GE(after.computed().count(value), 1U);
  EXPECT_EQ(after.computed().size(), before.computed().size());

  std::set<std::string> names;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) names.insert(workload.operation(OperationId(i)).name);
  EXPECT_EQ(fused_names(found, names), planned_names(workload, plan));
  EXPECT_EQ(hlo::to_workload(found).operation_count(), plan.group_count());
}

TEST(HloFusion, RandomGroupsComputeTheSameWhenTakenApart) {
  std::size_t fusions = 0, copies = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const hlo::Module module = hlo::read_text(RandomModule(seed, 5 + seed % 20).text());
    Rng rng(seed);
    const Plan plan = random_groups(hlo::to_workload(module), rng);
    expect_same_meaning(module, plan);
    expect_names_once(hlo::read_text(emitted(module, hlo::to_workload(module), plan)));
    fusions += planned_names(hlo::to_workload(module), plan).size();
    copies += plan.copies.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(fusions, 300U);
  EXPECT_GT(copies, 100U);
}

TEST(HloFusion, GroupsOfAModuleWithEverythingComputeTheSameWhenTakenApart) {
  const hlo::Module module = hlo::read_text(hlo::kSampleText);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    expect_same_meaning(module, random_groups(hlo::to_workload(module), rng));
  }
}

constexpr std::string_view kSoftmax = R"(HloModule softmax

max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  low = f32[] constant(-inf)
  ones = f32[4]{0} constant({1, 1, 1, 1})
  most = f32[4]{0} reduce(x, low), dimensions={1}, to_apply=max
  raised = f32[4]{0} add(most, ones)
  wide = f32[4,8]{1,0} broadcast(raised), dimensions={0}, metadata={op_name="wide"}
  less = f32[4,8]{1,0} subtract(x, wide), metadata={op_name="less"}
  power = f32[4,8]{1,0} exponential(less), metadata={op_name="power"}
  ROOT result = (f32[4,8]{1,0}, f32[4]{0}) tuple(power, raised)
}
)";

TEST(HloFusion, IsWrittenAsXlaWritesIt) {
  const hlo::Module module = hlo::read_text(kSoftmax);
  const Plan plan = with_groups({0, 0, 1, 1, 1});
  EXPECT_EQ(emitted(module, hlo::to_workload(module), plan), R"(HloModule softmax, is_scheduled=true

%max {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] maximum(%a, %b)
}

%fused_computation.0 (param_0.0: f32[4,8]{1,0}, param_1.0: f32[4]{0}) -> f32[4]{0} {
  %param_0.0 = f32[4,8]{1,0} parameter(0)
  %param_1.0 = f32[4]{0} parameter(1)
  %low.clone.0 = f32[] constant(-inf)
  %most = f32[4]{0} reduce(%param_0.0, %low.clone.0), dimensions={1}, to_apply=max
  ROOT %raised = f32[4]{0} add(%most, %param_1.0)
}

%fused_computation.1 (param_0.1: f32[4,8]{1,0}, param_1.1: f32[4]{0}) -> f32[4,8]{1,0} {
  %param_0.1 = f32[4,8]{1,0} parameter(0)
  %param_1.1 = f32[4]{0} parameter(1)
  %wide = f32[4,8]{1,0} broadcast(%param_1.1), dimensions={0}, metadata={op_name="wide"}
  %less = f32[4,8]{1,0} subtract(%param_0.1, %wide), metadata={op_name="less"}
  ROOT %power = f32[4,8]{1,0} exponential(%less), metadata={op_name="power"}
}

ENTRY %main {
  %x = f32[4,8]{1,0} parameter(0)
  %ones = f32[4]{0} constant({1, 1, 1, 1})
  %fusion.0 = f32[4]{0} fusion(%x, %ones), kind=kInput, calls=%fused_computation.0
  %fusion.1 = f32[4,8]{1,0} fusion(%x, %fusion.0), kind=kLoop, calls=%fused_computation.1, metadata={op_name="power"}
  ROOT %result = (f32[4,8]{1,0}, f32[4]{0}) tuple(%fusion.1, %fusion.0)
}
)");
}

TEST(HloFusion, SeveralOutputsAreATupleAndCopiesAreRepeated) {
  const hlo::Module module = hlo::read_text(kSoftmax);
  const Workload workload = hlo::to_workload(module);
  const std::string whole = emitted(module, workload, with_groups({0, 0, 0, 0, 0}));
  EXPECT_NE(whole.find("ROOT %tuple.0 = (f32[4]{0}, f32[4,8]{1,0}) tuple(%raised, %power)"), std::string::npos);
  EXPECT_NE(whole.find("%get-tuple-element.1 = f32[4,8]{1,0} get-tuple-element(%fusion.0), index=1"),
            std::string::npos);
  EXPECT_NE(whole.find("ROOT %result = (f32[4,8]{1,0}, f32[4]{0}) tuple(%get-tuple-element.1, %get-tuple-element.0)"),
            std::string::npos);
  const std::string copied = emitted(module, workload, with_groups({0, 1, 2, 2, 2}, {{OperationId(1), GroupId(2)}}));
  EXPECT_NE(copied.find("%raised.clone.0 = f32[4]{0} add("), std::string::npos);
  EXPECT_NE(copied.find("\n  %raised = f32[4]{0} add("), std::string::npos) << "its value is a result";
}

TEST(HloFusion, ControlEdgesGoToTheFusion) {
  const hlo::Module module = hlo::read_text(R"(HloModule edges
ENTRY main {
  x = f32[4]{0} parameter(0)
  a = f32[4]{0} negate(x)
  b = f32[4]{0} abs(a)
  c = f32[4]{0} sine(x), control-predecessors={a}
  d = f32[4]{0} cosine(c), control-predecessors={b, c}
  ROOT r = (f32[4]{0}, f32[4]{0}) tuple(b, d)
}
)");
  const std::string apart = emitted(module, hlo::to_workload(module), with_groups({0, 0, 1, 2}));
  EXPECT_NE(apart.find("%c = f32[4]{0} sine(%x), control-predecessors={%fusion.0}"), std::string::npos) << apart;
  EXPECT_NE(apart.find("%d = f32[4]{0} cosine(%c), control-predecessors={%fusion.0, %c}"), std::string::npos);
  const std::string pairs = emitted(module, hlo::to_workload(module), with_groups({0, 0, 1, 1}));
  EXPECT_NE(pairs.find("kind=kLoop, calls=%fused_computation.1, control-predecessors={%fusion.0}"), std::string::npos)
      << pairs;
}

TEST(HloFusion, RefusesAnOrderThatReadsWhatIsNotThereYet) {
  const hlo::Module module = hlo::read_text(kSoftmax);
  const std::vector<GroupId> backward{GroupId(1), GroupId(0)};
  EXPECT_THROW(fuse_groups(module, with_groups({0, 0, 1, 1, 1}), backward), InputError);
}

}  // namespace
}  // namespace hone
