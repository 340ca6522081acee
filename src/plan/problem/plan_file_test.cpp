#include "plan/problem/plan_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/check.h"
#include "plan/problem/problem.h"

namespace hone {
namespace {

/// A chain of four operations; the second and third must share a device.
Workload chain(double last_bytes) {
  WorkloadBuilder builder("chain");
  BufferId at;
  for (std::size_t i = 0; i < 4; ++i) {
    const BufferId output = builder.add_buffer({.name = "b", .bytes = i == 3 ? last_bytes : 8});
    const std::span<const BufferId> inputs =
        at.valid() ? std::span<const BufferId>(&at, 1) : std::span<const BufferId>();
    builder.add_operation({.name = fmt::format("work{}", i), .flops = 1, .colocate = i == 1 || i == 2 ? 1U : 0U},
                          inputs, std::span(&output, 1));
    at = output;
  }
  return std::move(builder).build();
}

Plan grouped(std::initializer_list<std::size_t> groups, std::initializer_list<std::size_t> devices) {
  Plan plan;
  for (const std::size_t group : groups) plan.group_of.emplace_back(group);
  for (const std::size_t device : devices) plan.device_of.emplace_back(device);
  return plan;
}

std::pair<std::string, ExitCode> refusal(const std::string& text, const Workload& workload, const Machine& machine) {
  try {
    parse_plan(text, "p.json", workload, machine);
  } catch (const InputError& error) {
    return {error.what(), error.code()};
  }
  return {"accepted", ExitCode::done};
}

TEST(PlanFileTest, ReadsBackWhatItWrote) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  Plan plan = grouped({0, 1, 1, 2}, {0, 1, 0});
  plan.priority = {0.25F, -1.5F, 3};
  plan.transfer_priority.assign(workload.buffer_count() * 2, 0.125F);
  plan.offset_of = {0, 64, -1, 128, -1, -1, -1, -1};
  EXPECT_EQ(parse_plan(plan_json(workload, machine, plan), "p.json", workload, machine), plan);
  plan.waiting = Waiting::in_line;
  EXPECT_EQ(parse_plan(plan_json(workload, machine, plan), "p.json", workload, machine), plan);
}

TEST(PlanFileTest, DevicesWaitInOneWayOrNot) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  Plan plan = grouped({0, 1, 1, 2}, {0, 1, 0});
  plan.waiting = Waiting::in_line;
  std::string text = plan_json(workload, machine, plan);
  text.replace(text.find("in-line"), 7, "at-times");
  EXPECT_EQ(refusal(text, workload, machine),
            std::pair(std::string("p.json: devices_wait must be 'never' or 'in-line'"), ExitCode::usage));
}

/// `work0` runs once more in the group of the operations behind it.
Plan with_copy() {
  Plan plan = grouped({0, 1, 1, 2}, {0, 1, 0});
  plan.copies = {{OperationId(0), GroupId(1)}};
  return plan;
}

TEST(PlanFileTest, ReadsBackCopies) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  const std::string text = plan_json(workload, machine, with_copy());
  EXPECT_NE(text.find("\"copies_of_work\":[[0,1]]"), std::string::npos) << text;
  EXPECT_EQ(parse_plan(text, "p.json", workload, machine), with_copy());
}

TEST(PlanFileTest, RefusesCopiesThatAreNoneOrInNoGroup) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  const std::string good = plan_json(workload, machine, with_copy());
  for (const std::string copies : {"3", "[3]", "[[0]]", "[[0,1,2]]", "[[0,-1]]", "[[0,0.5]]", "[[0,\"1\"]]",
                                   "[[0,4294967295]]", "[[0,7]]", "[[9,1]]", "[[0,1],[0,1]]", "[[0,0]]"}) {
    std::string text = good;
    text.replace(text.find("[[0,1]]"), 7, copies);
    EXPECT_EQ(refusal(text, workload, machine).second, ExitCode::usage) << copies;
  }
}

TEST(PlanFileTest, RefusesAPlanForAnotherGraph) {
  const Workload mine = chain(8), other = chain(16);
  const Machine machine = load_machine("p100-2");
  const auto [message, code] = refusal(plan_json(other, machine, plan_on_one_device(other)), mine, machine);
  EXPECT_EQ(code, ExitCode::bad_model);
  EXPECT_NE(message.find("another graph"), std::string::npos) << message;
}

TEST(PlanFileTest, RefusesADeviceTheMachineDoesNotHave) {
  const Workload workload = chain(8);
  const Machine small = load_machine("p100-2"), large = load_machine("v100-8");
  const auto [message, code] = refusal(plan_json(workload, large, plan_on_one_device(workload)), workload, small);
  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(message.find("no device 'v100:0'"), std::string::npos) << message;
}

TEST(PlanFileTest, RefusesAGroupThatWaitsForItself) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  const auto [message, code] = refusal(plan_json(workload, machine, grouped({0, 1, 1, 0}, {0, 0})), workload, machine);
  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(message.find("waits for itself"), std::string::npos) << message;
}

TEST(PlanFileTest, RefusesTextThatIsNoPlan) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  const std::string good = plan_json(workload, machine, plan_on_one_device(workload));
  for (const std::string text : {"", "[]", "{}", "{\"schema\":\"hone.plan/1\"}", "nonsense"})
    EXPECT_NE(refusal(text, workload, machine).second, ExitCode::done) << text;
  for (std::size_t length = 0; length < good.size() - 2; ++length)
    EXPECT_NE(refusal(good.substr(0, length), workload, machine).second, ExitCode::done);
  std::string negative = good;
  negative.replace(negative.find("[0,0,0,0]"), 9, "[0,-1,0,0]");
  EXPECT_EQ(refusal(negative, workload, machine).second, ExitCode::usage);
}

TEST(CheckTest, NamesTheOffender) {
  const Workload workload = chain(8);
  const Machine machine = load_machine("p100-2");
  const auto flaw = [&](const Plan& plan) { return check(workload, machine, plan).value_or("none"); };
  EXPECT_EQ(flaw(plan_on_one_device(workload)), "none");
  EXPECT_EQ(flaw(grouped({0, 0, 0, 0}, {1})), "none");
  EXPECT_EQ(flaw(grouped({0, 0, 0, 1}, {1, 7})), "operation 'work3' is on device 7, but machine p100-2 has 2 devices");
  EXPECT_EQ(flaw(grouped({0, 0, 1, 1}, {0, 1})),
            "operations 'work1' and 'work2' must share a device, but are on p100:0 and p100:1");
  EXPECT_EQ(flaw(grouped({0, 0, 0, 3}, {0, 0})), "operation 'work3' is in group 3, but the plan has 2 groups");
  EXPECT_EQ(flaw(grouped({0, 0, 0, 0}, {0, 0})), "group 1 has no operation");
  EXPECT_EQ(flaw(grouped({}, {0, 0, 0})), "the plan has 3 devices, the graph needs 4");
  Plan copied = with_copy();
  EXPECT_EQ(flaw(copied), "none");
  copied.copies = {{OperationId(0), GroupId(2)}};
  EXPECT_EQ(flaw(copied), "nothing in group 2 reads its copy of operation 'work0'");
  copied.copies = {{OperationId(0), GroupId(0)}};
  EXPECT_EQ(flaw(copied), "a copy of operation 'work0' is in group 0, where the operation is itself");
  copied.copies = {{OperationId(0), GroupId(3)}};
  EXPECT_EQ(flaw(copied), "a copy of operation 'work0' is in group 3, but the plan has 3 groups");
  copied.copies = {{OperationId(4), GroupId(1)}};
  EXPECT_EQ(flaw(copied), "a copy is of operation 4, but the graph has 4");
  copied.copies = {{OperationId(0), GroupId(1)}, {OperationId(0), GroupId(1)}};
  EXPECT_EQ(flaw(copied), "operation 'work0' has two copies in group 1");
  copied.copies = {{OperationId(2), GroupId(2)}, {OperationId(0), GroupId(1)}};
  EXPECT_EQ(flaw(copied), "the copy of operation 'work0' in group 1 comes too late in the list");
  copied = plan_on_one_device(workload);
  copied.copies = {{OperationId(0), GroupId(1)}};
  EXPECT_EQ(flaw(copied), "the plan has copies, but no groups");
  Plan far = plan_on_one_device(workload);
  far.offset_of = {std::int64_t{1} << 40, -1, -1, -1, -1, -1, -1, -1};
  EXPECT_EQ(flaw(far), "buffer 'b' ends beyond the memory of p100:0");
}

TEST(CheckTest, CopyNeedsADeviceThatCanRunIt) {
  WorkloadBuilder builder("kinds");
  builder.set_device_kinds({"fast", "slow"});
  const BufferId first = builder.add_buffer({.bytes = 1}), second = builder.add_buffer({.bytes = 1});
  builder.add_operation({.name = "special", .seconds = {1, NAN}}, {}, std::span(&first, 1));
  builder.add_operation({.name = "plain", .seconds = {1, 1}}, std::span(&first, 1), std::span(&second, 1));
  const Workload workload = std::move(builder).build();
  Machine machine = load_machine("p100-2");
  machine.kinds = {machine.kinds[0], machine.kinds[0]};
  machine.kinds[0].name = "fast";
  machine.kinds[1].name = "slow";
  machine.devices[1].kind = 1;
  Plan plan = grouped({0, 1}, {0, 1});
  EXPECT_EQ(check(workload, machine, plan).value_or("none"), "none");
  plan.copies = {{OperationId(0), GroupId(1)}};
  EXPECT_EQ(check(workload, machine, plan).value_or("none"),
            "the copy of operation 'special' in group 1 cannot run on device p100:1");
  const Problem problem{.workload = workload, .machine = machine};
  const DeviceChoices choices(problem, plan);
  EXPECT_EQ(choices.devices(choices.choice_of(OperationId(1))), std::vector<DeviceId>{DeviceId(0)});
}

/// work1 reads work0, work3 reads work1, work4 reads work2: a group of work2 and work3 waits for one of work0 and
/// work4, which waits for it, unless it has copies of all that it needs of work0.
TEST(CheckTest, GroupsThatWaitForOneAnotherThroughACopyAreFound) {
  WorkloadBuilder builder("circle");
  std::vector<BufferId> made;
  const auto add = [&](std::vector<BufferId> inputs) {
    made.push_back(builder.add_buffer({.bytes = 1}));
    builder.add_operation({.name = fmt::format("work{}", made.size() - 1)}, inputs, std::span(&made.back(), 1));
  };
  add({});
  add({made[0]});
  add({});
  add({made[1]});
  add({made[2]});
  const Workload workload = std::move(builder).build();
  const Machine machine = load_machine("p100-2");
  Plan plan = grouped({0, 1, 2, 2, 0}, {0, 0, 0});
  EXPECT_NE(check(workload, machine, plan).value_or("none").find("waits for itself"), std::string::npos);
  plan = grouped({0, 1, 2, 3, 0}, {0, 0, 0, 0});
  EXPECT_EQ(check(workload, machine, plan).value_or("none"), "none");
  plan = grouped({0, 1, 2, 2, 3}, {0, 0, 0, 0});
  plan.copies = {{OperationId(1), GroupId(2)}};
  EXPECT_EQ(check(workload, machine, plan).value_or("none"), "none");
  plan = grouped({0, 1, 2, 2, 0}, {0, 0, 0});
  plan.copies = {{OperationId(1), GroupId(2)}};
  EXPECT_NE(check(workload, machine, plan).value_or("none").find("waits for itself"), std::string::npos);
  plan.copies = {{OperationId(0), GroupId(2)}, {OperationId(1), GroupId(2)}};
  EXPECT_EQ(check(workload, machine, plan).value_or("none"), "none");
}

}  // namespace
}  // namespace hone
