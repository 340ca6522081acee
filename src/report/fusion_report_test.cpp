#include "report/fusion_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/fuse/loop_graph_test.h"
#include "plan/problem/grouped_plan_test.h"

namespace hone {
namespace {

/// `0` is read by `1`, and by `2` at other places.
Problem forked_loops() {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(8, {{0, Access::other}});
  return std::move(graph).build();
}

/// On one line.
std::string told_fusion(const Plan& plan, std::size_t one, std::size_t other) {
  const Problem problem = forked_loops();
  std::string text = fusion_text(problem, plan, explain_fusion(problem, plan, OperationId(one), OperationId(other)));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void expect_said(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(FusionReport, SaysWhereBothRunAndWhatIsSaved) {
  const std::string text = told_fusion(with_groups({0, 0, 1}, {{OperationId(0), GroupId(1)}}), 0, 2);
  expect_said(text, "'0' runs in group 0");
  expect_said(text, "'2' runs in group 1");
  expect_said(text, "where '0' is computed once more");
  expect_said(text, "32 B are made in it that never cross memory");
}

TEST(FusionReport, SaysWhyNotAndWhatItWouldCost) {
  const std::string text = told_fusion(with_groups({0, 0, 1}), 0, 2);
  expect_said(text, "They are not together. '2' reads '0'.");
  expect_said(text, "groups 0 and 1: not possible, '0' is read at other places than it is computed.");
  expect_said(text, "'0' computed by all that read it: possible, and faster by");
  expect_said(text, "'0' computed 2 times");
}

TEST(FusionReport, SaysThatOperationsAreUnrelated) {
  expect_said(told_fusion(with_groups({0, 0, 1}), 1, 2), "Neither needs what the other makes");
}

TEST(FusionReport, ProgramsReadTheSame) {
  const Problem problem = forked_loops();
  const Plan plan = with_groups({0, 0, 1});
  const auto object = fusion_json(problem, plan, explain_fusion(problem, plan, OperationId(2), OperationId(0)));
  EXPECT_EQ(object["first"], "0");
  EXPECT_EQ(object["together"], false);
  EXPECT_EQ(object["changes"][0]["possible"], false);
  EXPECT_EQ(object["changes"][1]["times_computed"], 2);
}

}  // namespace
}  // namespace hone
