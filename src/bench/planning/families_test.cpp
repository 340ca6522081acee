#include "bench/planning/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "bench/graph_set.h"
#include "bench/planning/contest.h"
#include "bench/planning/graphs.h"
#include "zoo/dataset.h"
#include "zoo/registry.h"

namespace hone {
namespace {

std::string model_in(const std::string& spec) {
  const std::string name = spec.substr(4);
  return name.substr(0, name.find(':'));
}

bool belongs_to(const PlanningFamily& family, const std::string& graph) {
  if (is_zoo_spec(graph)) return std::ranges::count(family.models, model_in(graph)) > 0;
  return std::ranges::any_of(family.modules, [&](const std::string& begin) { return graph.starts_with(begin); });
}

TEST(FamiliesTest, EveryModelOfTheZooIsOfOneFamily) {
  std::map<std::string, std::size_t> families_of;
  for (const PlanningFamily& family : planning_families())
    for (const std::string& model : family.models) ++families_of[model];
  for (const zoo::ZooModel* model : zoo::zoo_models()) EXPECT_EQ(families_of[model->name], 1U) << model->name;
}

TEST(FamiliesTest, NoFamilyHasTwoRolesAndNoGraphTwoFamilies) {
  const std::vector<PlanningFamily> families = planning_families();
  std::set<std::string> names, graphs;
  for (const PlanningFamily& family : families) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    for (const std::string& graph : family.graphs) {
      EXPECT_TRUE(graphs.insert(graph).second) << graph;
      if (zoo::is_dataset_recipe(graph)) continue;
      for (const PlanningFamily& other : families)
        EXPECT_EQ(belongs_to(other, graph), other.name == family.name) << graph << " and " << other.name;
    }
  }
}

TEST(FamiliesTest, RandomGraphsAreOfTheSplitOfTheirRole) {
  const std::map<FamilyRole, std::string> splits = {
      {FamilyRole::train, ",split=train"}, {FamilyRole::validation, ",split=valid"}, {FamilyRole::test, ",split=test"}};
  for (const PlanningFamily& family : planning_families())
    for (const std::string& graph : family.graphs) {
      EXPECT_EQ(zoo::is_dataset_recipe(graph), family.origin == GraphOrigin::synthetic) << graph;
      if (zoo::is_dataset_recipe(graph)) {
        EXPECT_TRUE(graph.ends_with(splits.at(family.role))) << graph;
      }
    }
}

TEST(FamiliesTest, TestGraphsAreManyEnoughAndOfManyFamilies) {
  std::size_t graphs = 0, families = 0;
  for (const PlanningFamily& family : planning_families()) {
    if (family.role != FamilyRole::test || family.origin != GraphOrigin::real) continue;
    ++families;
    for (const std::string& graph : family.graphs) EXPECT_FALSE(graph.ends_with('*')) << "how many is not known";
    graphs += family.graphs.size();
  }
  EXPECT_GE(graphs, 25U);
  EXPECT_GE(families, 5U);
}

TEST(FamiliesTest, TestGraphsOfTheZooAreOfTheSizesThatCount) {
  const PlanningContest contest = planning_contest();
  std::size_t large = 0;
  for (const PlanningFamily& family : planning_families())
    for (const std::string& graph : family.graphs) {
      if (family.role != FamilyRole::test || !is_zoo_spec(graph)) continue;
      const std::size_t operations = load_graphs({graph}).front().workload.operation_count();
      EXPECT_GE(operations, contest.least_operations) << graph;
      EXPECT_LE(operations, contest.most_operations) << graph;
      large += operations > contest.large_operations ? 1 : 0;
    }
  EXPECT_GE(large, 7U);  // and one module
}

TEST(FamiliesTest, ModulesAreFoundByTheirNames) {
  EXPECT_EQ(module_name("data/gpt_s_train.hlo.xz"), "gpt_s_train");
  EXPECT_EQ(module_name("diffrax.b38.hlo"), "diffrax.b38");
  EXPECT_TRUE(is_named("gpt_s_train", "gpt_*"));
  EXPECT_TRUE(is_named("gpt_s_train", "gpt_s_train"));
  EXPECT_FALSE(is_named("gpt_s_train", "gpt_s"));
  EXPECT_FALSE(is_named("gpt_s", "gpt_s_*"));
}

TEST(FamiliesTest, RefusesKeysAndRolesThatDoNotExist) {
  EXPECT_THROW(parse_families({{"families", {{{"name", "a"}, {"rule", "test"}}}}}, "file"), InputError);
  EXPECT_THROW(parse_families({{"families", {{{"name", "a"}, {"role", "tests"}}}}}, "file"), InputError);
}

}  // namespace
}  // namespace hone
