#include "bench/saturated_graph.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"
#include "base/error.h"

namespace hone {
namespace {

class SaturatedGraphTest : public testing::Test {
 protected:
  SaturatedGraph read(const std::string& text) const {
    const std::filesystem::path file = folder_.path() / "case.json";
    std::ofstream(file) << text;
    return read_saturated_graph(file);
  }
  TemporaryFolder folder_;

  // The root needs a and b. Alone each is cheapest by itself (2 + 2); shared through c (3) both are free. a and b also
  // are free from one another, which would be a cycle.
  static constexpr const char* kShared = R"({"root_eclasses": ["r"], "nodes": {
    "r0": {"cost": 0, "eclass": "r", "children": ["a0", "b0"]},
    "a0": {"cost": 2, "eclass": "a", "children": []}, "a1": {"cost": 0, "eclass": "a", "children": ["c0"]},
    "a2": {"cost": 0, "eclass": "a", "children": ["b0"]},
    "b0": {"cost": 2.5, "eclass": "b", "children": []}, "b1": {"cost": 0, "eclass": "b", "children": ["c0"]},
    "b2": {"cost": 0.7, "eclass": "b", "children": ["a0"]},
    "c0": {"cost": 2.3, "eclass": "c", "children": []}}})";
};

TEST_F(SaturatedGraphTest, CountsWhatIsSharedOnceAndTakesNoCycle) {
  const SaturatedGraph graph = read(kShared);
  EXPECT_EQ(graph.problem.choices.size(), 8u);
  EXPECT_EQ(graph.problem.makers.size(), 4u);
  EXPECT_GE(choose_bottom_up(graph.problem).cost, 2.3);
  EXPECT_DOUBLE_EQ(choose_by_orders(graph.problem, Deadline(5)).cost, 2.3);
}

TEST_F(SaturatedGraphTest, ProvesTheBestWithoutCycles) {
  const SaturatedGraph graph = read(kShared);
  for (const ExtractionProver* prover : ExtractionProver::all()) {
    const ProvedChoice proved = prover->prove(graph.problem, choose_bottom_up(graph.problem), Deadline(10));
    EXPECT_DOUBLE_EQ(proved.choice.cost, 2.3);
    EXPECT_NEAR(proved.bound, 2.3, 1e-6);
  }
}

TEST_F(SaturatedGraphTest, FindsTheCycleOfASelection) {
  const SaturatedGraph graph = read(kShared);
  Selection selection = choose_bottom_up(graph.problem).selection;
  for (std::uint32_t i = 0; i < graph.problem.choices.size(); ++i) {
    const ExtractionProblem::Choice& choice = graph.problem.choices[i];
    const bool closes = choice.needs.size() == 1 && graph.problem.makers[choice.needs[0]].size() == 3;
    if (closes) selection[choice.makes[0]] = i;  // a by b, and b by a
  }
  EXPECT_EQ(follow(graph.problem, selection).cycle.size(), 2u);
}

TEST_F(SaturatedGraphTest, RefusesWhatIsNoEGraph) {
  EXPECT_THROW(read("[]"), InputError);
  EXPECT_THROW(read(R"({"root_eclasses": ["r"], "nodes": {"x": {"cost": "much"}}})"), InputError);
  EXPECT_THROW(read(R"({"root_eclasses": ["r"], "nodes": {"r0": {"cost": 1, "eclass": "r", "children": ["r0"]}}})"),
               InputError);
}

}  // namespace
}  // namespace hone
