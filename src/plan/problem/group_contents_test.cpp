#include "plan/problem/group_contents.h"

#include <gtest/gtest.h>

#include "plan/problem/grouped_plan_test.h"

namespace hone {
namespace {

/// A chain `a -> b -> c` of which `d` reads `b` as well; the results of `c` and `d` are those of the graph.
Workload forked_chain() {
  WorkloadBuilder builder("forked");
  const BufferId x = builder.add_buffer({.name = "x", .bytes = 4, .kind = Buffer::Kind::input});
  const BufferId a = builder.add_buffer({.name = "a", .bytes = 4});
  const BufferId b = builder.add_buffer({.name = "b", .bytes = 4});
  const BufferId c = builder.add_buffer({.name = "c", .bytes = 4, .is_output = true});
  const BufferId d = builder.add_buffer({.name = "d", .bytes = 4, .is_output = true});
  builder.add_operation({.name = "a", .op = "Exp"}, std::span(&x, 1), std::span(&a, 1));
  builder.add_operation({.name = "b", .op = "Neg"}, std::span(&a, 1), std::span(&b, 1));
  builder.add_operation({.name = "c", .op = "Abs"}, std::span(&b, 1), std::span(&c, 1));
  builder.add_operation({.name = "d", .op = "Neg"}, std::span(&b, 1), std::span(&d, 1));
  return std::move(builder).build();
}

std::vector<OperationId> listed_instances(const GroupContents& contents, GroupId group) {
  return {contents.instances(group).begin(), contents.instances(group).end()};
}

TEST(GroupContents, WithoutGroupsEveryOperationIsOne) {
  const Workload workload = forked_chain();
  const Plan plan = plan_on_one_device(workload);
  const GroupContents contents(workload, plan);
  ASSERT_EQ(contents.group_count(), 4U);
  EXPECT_EQ(contents.text(GroupId(2)), "Abs");
  EXPECT_EQ(contents.reads(GroupId(2)), std::vector{BufferId(2)});
  EXPECT_EQ(contents.stores(GroupId(1)), std::vector{BufferId(2)});
}

TEST(GroupContents, WhatIsReadWhereItIsMadeNeverLeaves) {
  const Workload workload = forked_chain();
  const Plan plan = with_groups({0, 0, 0, 1}, {});
  const GroupContents contents(workload, plan);
  EXPECT_EQ(contents.reads(GroupId(0)), std::vector{BufferId(0)});
  EXPECT_EQ(contents.stores(GroupId(0)), (std::vector{BufferId(2), BufferId(3)}));
  EXPECT_EQ(contents.reads(GroupId(1)), std::vector{BufferId(2)});
}

TEST(GroupContents, CopiesSpareTheirGroupsTheReading) {
  const Workload workload = forked_chain();
  const Plan plan = with_groups({0, 0, 0, 1}, {{OperationId(0), GroupId(1)}, {OperationId(1), GroupId(1)}});
  const GroupContents contents(workload, plan);
  EXPECT_EQ(listed_instances(contents, GroupId(1)), (std::vector{OperationId(0), OperationId(1), OperationId(3)}));
  EXPECT_TRUE(contents.runs(GroupId(1), OperationId(1)));
  EXPECT_FALSE(contents.runs(GroupId(1), OperationId(2)));
  EXPECT_EQ(contents.reads(GroupId(1)), std::vector{BufferId(0)});
  EXPECT_EQ(contents.stores(GroupId(0)), std::vector{BufferId(3)});
  EXPECT_EQ(contents.stores(GroupId(1)), std::vector{BufferId(4)});
  EXPECT_EQ(contents.text(GroupId(1)), "Exp+Neg*2");
}

TEST(GroupContents, ManyKindsOfOperatorAreCut) {
  WorkloadBuilder builder("many");
  std::vector<std::uint32_t> groups;
  for (const char* op : {"Exp", "Mul", "Mul", "Add", "Neg", "Abs", "Mul"}) {
    builder.add_operation({.name = "work", .op = op}, {}, {});
    groups.push_back(0);
  }
  const Workload workload = std::move(builder).build();
  const Plan all = with_groups(groups, {});
  EXPECT_EQ(GroupContents(workload, all).text(GroupId(0)), "Exp+Mul*3+Add+... (7)");
  groups[5] = 1;
  const Plan most = with_groups(groups, {});
  EXPECT_EQ(GroupContents(workload, most).text(GroupId(0)), "Exp+Mul*3+Add+Neg");
}

}  // namespace
}  // namespace hone
