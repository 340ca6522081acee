#include "plan/problem/kernel_key.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "plan/machine/kernel_times.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"

namespace hone {
namespace {

/// Two chains that are alike but for names, and a third of other sizes.
Workload chains() {
  Model model = parse_model(R"(<ir_version: 8, opset_import: ["" : 18]>
    net (float[64,64] x, float[64,64] y, float[32,64] z) => (a2, b2, c2) {
      a1 = Relu(x) a2 = Exp(a1) b1 = Relu(y) b2 = Exp(b1) c1 = Relu(z) c2 = Exp(c1)
    })",
                            "test");
  infer_types(model);
  return lower(model);
}

std::uint64_t key_of_pair(const Workload& workload, std::size_t first) {
  const OperationId pair[] = {OperationId(first), OperationId(first + 1)};
  return kernel_key(workload, {.instances = pair, .stored = workload.outputs(pair[1])});
}

TEST(KernelKeyTest, IsTheSameForKernelsThatComputeAlikeAndForNoOthers) {
  const Workload workload = chains();
  EXPECT_EQ(key_of_pair(workload, 0), key_of_pair(workload, 2));
  EXPECT_NE(key_of_pair(workload, 0), key_of_pair(workload, 4));
  EXPECT_EQ(kernel_key(workload, OperationId(0)), kernel_key(workload, OperationId(2)));
  EXPECT_NE(kernel_key(workload, OperationId(0)), kernel_key(workload, OperationId(1)));
}

TEST(KernelKeyTest, DependsOnWhatIsStored) {
  const Workload workload = chains();
  const OperationId pair[] = {OperationId(0), OperationId(1)};
  const BufferId both[] = {workload.outputs(pair[0])[0], workload.outputs(pair[1])[0]};
  EXPECT_NE(kernel_key(workload, {.instances = pair, .stored = both}), key_of_pair(workload, 0));
}

TEST(KernelTimesTest, ReplaceEstimatesWhereTheyExist) {
  const Workload workload = chains();
  Machine machine = load_machine("cpu-1");
  const OperationId pair[] = {OperationId(2), OperationId(3)}, other[] = {OperationId(4), OperationId(5)};
  const KernelView alike{.instances = pair, .stored = workload.outputs(pair[1])};
  const KernelView unlike{.instances = other, .stored = workload.outputs(other[1])};
  const double estimated = GroupTimer(workload, machine).seconds(unlike, 0);
  auto times = std::make_shared<KernelTimes>();
  times->add(key_of_pair(workload, 0), 1);
  times->add(key_of_pair(workload, 0), 3);
  times->add(kernel_key(workload, OperationId(0)), 0.5);
  machine.kinds[0].kernel_times = times;
  GroupTimer timer(workload, machine);
  EXPECT_DOUBLE_EQ(timer.seconds(alike, 0), 2);
  EXPECT_DOUBLE_EQ(timer.seconds(unlike, 0), estimated);
  const OperationTimes alone(workload, machine);
  EXPECT_DOUBLE_EQ(alone.at(OperationId(2), 0).alone(workload.operation(OperationId(2)).bytes), 0.5);
}

TEST(KernelTimesTest, WhatOperationsTakeAloneScalesTheEstimateOfAGroup) {
  const Workload workload = chains();
  Machine machine = load_machine("cpu-1");
  const OperationId pair[] = {OperationId(0), OperationId(1)};
  const KernelView kernel{.instances = pair, .stored = workload.outputs(pair[1])};
  const double estimated = GroupTimer(workload, machine).seconds(kernel, 0);
  auto times = std::make_shared<KernelTimes>();
  const OperationTimes before(workload, machine);
  for (const OperationId id : pair)
    times->add(kernel_key(workload, id), 10 * before.at(id, 0).alone(workload.operation(id).bytes));
  machine.kinds[0].kernel_times = times;
  EXPECT_NEAR(GroupTimer(workload, machine).seconds(kernel, 0) / estimated, 10, 1e-9);
}

}  // namespace
}  // namespace hone
