#include "plan/problem/group_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// A byte takes a second, an operation of arithmetic too, and a launch none.
Machine plain_machine() {
  return parse_machine(R"(
name = "plain"
[[device]]
kind = "unit"
memory_bytes = 100
bytes_per_second = 1
launch_seconds = 0
flops.float = 1
)",
                       "test");
}

/// Operations whose outputs are one byte for every result.
class Kernels {
 public:
  BufferId input(double bytes) { return builder_.add_buffer({.bytes = bytes, .kind = Buffer::Kind::input}); }

  struct Reads {
    BufferId buffer;
    Access access = Access::same;
  };
  BufferId add(OperationClass kind, double flops, Loop loop, const std::vector<Reads>& reads, BufferId alias = {}) {
    const BufferId output = builder_.add_buffer({.bytes = loop.results, .alias_of = alias});
    Operation operation{.name = "w", .operation_class = kind, .flops = flops, .loop = std::move(loop)};
    std::vector<BufferId> inputs;
    for (const Reads& read : reads) {
      inputs.push_back(read.buffer);
      operation.loop.reads.push_back(read.access);
    }
    if (kind != OperationClass::view) operation.bytes = 100;
    operations_.push_back(builder_.add_operation(std::move(operation), inputs, std::span(&output, 1)));
    return output;
  }
  BufferId map(double points, double flops, const std::vector<Reads>& reads) {
    return add(OperationClass::pointwise, flops, {Loop::Kind::map, points, points, points}, reads);
  }

  double seconds(const std::vector<BufferId>& stored, const Machine& machine = plain_machine()) {
    const Workload workload = std::move(builder_).build();
    return GroupTimer(workload, machine).seconds({.instances = operations_, .stored = stored}, 0);
  }

 private:
  WorkloadBuilder builder_{"kernels"};
  std::vector<OperationId> operations_;
};

TEST(GroupTimerTest, ReadersInStepComputeWhatTheyReadOnce) {
  Kernels kernels;
  const BufferId shared = kernels.map(10, 500, {{kernels.input(1)}});
  const BufferId left = kernels.map(10, 0, {{shared}}), right = kernels.map(10, 0, {{shared}});
  EXPECT_EQ(kernels.seconds({left, right}), 500);
}

TEST(GroupTimerTest, ReaderOfAPartComputesThatPart) {
  Kernels kernels;
  const BufferId all = kernels.map(10, 1000, {{kernels.input(1)}});
  EXPECT_EQ(kernels.seconds({kernels.map(4, 0, {{all}})}), 400);
}

TEST(GroupTimerTest, ReaderThatJumpsAboutComputesAtEveryPoint) {
  Kernels kernels;
  const BufferId small = kernels.map(10, 100, {{kernels.input(1)}});
  EXPECT_EQ(kernels.seconds({kernels.map(50, 0, {{small, Access::other}})}), 500);
}

TEST(GroupTimerTest, RowsAreComputedOnceARowAndContractionsKeepWhatTheyRead) {
  Kernels rows;
  const BufferId by_row = rows.map(10, 500, {{rows.input(1)}});
  EXPECT_EQ(rows.seconds({rows.map(50, 0, {{by_row, Access::row}})}), 500);
  Kernels product;
  const BufferId operand = product.map(10, 500, {{product.input(1)}});
  const BufferId made =
      product.add(OperationClass::matmul, 0, {Loop::Kind::contraction, 50, 50, 50}, {{operand, Access::other}});
  EXPECT_EQ(product.seconds({made}), 500);
}

TEST(GroupTimerTest, OneThatHoldsARowBackIsAskedForAllOfIt) {
  Kernels kernels;
  const BufferId wide = kernels.map(100, 1000, {{kernels.input(1)}});
  const BufferId sums = kernels.add(OperationClass::reduction, 0, {Loop::Kind::rows, 100, 10, 10}, {{wide}});
  EXPECT_EQ(kernels.seconds({kernels.map(5, 0, {{sums}})}), 500);  // half of the rows, hence of what they sum up
}

TEST(GroupTimerTest, OnlyWhatCrossesMemoryCounts) {
  Kernels kernels;
  const BufferId input = kernels.input(20);
  const BufferId middle = kernels.map(30, 0, {{input}});
  const BufferId output = kernels.map(10, 0, {{middle}, {input}});
  // 100 less the middle, which is not stored; 100 less the middle and the input, which has been read.
  EXPECT_EQ(kernels.seconds({output}), (100 - 30) + (100 - 30 - 20));
}

TEST(GroupTimerTest, ReadingThroughAViewIsReadingWhatItShows) {
  const auto with_reader = [](bool second_reader) {
    Kernels kernels;
    const BufferId input = kernels.input(20);
    const BufferId view = kernels.add(OperationClass::view, 0, {Loop::Kind::map, 20, 20, 20}, {{input}}, input);
    std::vector<BufferId> stored = {kernels.map(20, 0, {{view}})};
    if (second_reader) stored.push_back(kernels.map(20, 0, {{input}}));
    return kernels.seconds(stored);
  };
  EXPECT_EQ(with_reader(false), 100);
  EXPECT_EQ(with_reader(true), 100 + 80);
}

TEST(GroupTimerTest, MoreLiveValuesThanADeviceHoldsSlowMemoryDown) {
  Machine machine = plain_machine();
  machine.kinds[0].live_values = 2;
  Kernels kernels;
  const BufferId first = kernels.map(10, 0, {{kernels.input(1)}, {kernels.input(1)}});
  const BufferId second = kernels.map(10, 0, {{first}, {kernels.input(1)}});
  EXPECT_EQ(kernels.seconds({second}, machine), (90 + 90) * 4 / 2.0);  // three inputs and an output
}

TEST(GroupTimerTest, LaunchIsPaidOnceAndOneInstanceTakesItsTimeAlone) {
  Machine machine = plain_machine();
  machine.kinds[0].launch_seconds = 7;
  Kernels alone;
  EXPECT_EQ(alone.seconds({alone.map(10, 300, {{alone.input(1)}})}, machine), 307);
  Kernels both;
  const BufferId first = both.map(10, 300, {{both.input(1)}});
  EXPECT_EQ(both.seconds({first, both.map(10, 400, {{first}})}, machine), 707);
}

TEST(GroupTimerTest, KernelWithAnOperationThatCannotRunHasNoTime) {
  WorkloadBuilder builder("kinds");
  builder.set_device_kinds({"unit", "other"});
  std::vector<OperationId> operations;
  for (const double seconds : {1.0, static_cast<double>(NAN)})
    operations.push_back(builder.add_operation({.name = "w", .seconds = {seconds, 1}}, {}, {}));
  const Workload workload = std::move(builder).build();
  Machine machine = plain_machine();
  machine.kinds.push_back(machine.kinds[0]);
  machine.kinds[1].name = "other";
  GroupTimer timer(workload, machine);
  EXPECT_TRUE(std::isnan(timer.seconds({.instances = operations}, 0)));
  EXPECT_EQ(timer.seconds({.instances = operations}, 1), 2);
}

}  // namespace
}  // namespace hone
