#include "report/group_report.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(GroupReport, SaysWhatGroupsContainAndHowOften) {
  WorkloadBuilder builder("pairs");
  for (const char* op : {"Exp", "Neg", "Exp", "Neg", "Abs"}) builder.add_operation({.name = op, .op = op}, {}, {});
  const Workload workload = std::move(builder).build();
  const Plan plan{.group_of = {GroupId(0), GroupId(0), GroupId(1), GroupId(1), GroupId(2)},
                  .copies = {},
                  .device_of = std::vector<DeviceId>(3, DeviceId(0))};
  EXPECT_EQ(size_text(workload, plan), "5 operations in 3 groups");
  const std::string text = groups_text(workload, plan);
  EXPECT_NE(text.find("Exp+Neg"), std::string::npos) << text;
  EXPECT_NE(text.find(" 2 "), std::string::npos) << text;
  EXPECT_EQ(text.find("Abs"), std::string::npos) << text;
}

TEST(GroupReport, HasNothingToSayWithoutGroups) {
  WorkloadBuilder builder("alone");
  builder.add_operation({.name = "a", .op = "Exp"}, {}, {});
  const Workload workload = std::move(builder).build();
  EXPECT_EQ(size_text(workload, plan_on_one_device(workload)), "1 operations");
  EXPECT_EQ(groups_text(workload, plan_on_one_device(workload)), "");
}

}  // namespace
}  // namespace hone
