#include "deliver/profiled_search.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "rewrite/search/node_origin.h"
#include "run/profile/node_config.h"

namespace hone {
namespace {

const ProfileContext kHere{.hardware = "here", .runtime = "runtime", .threads = 1};

/// Timings by operator; a microsecond for others.
ProfiledSearch::Timer timer_of(std::map<std::string, double> seconds, std::size_t& timed) {
  return [seconds, &timed](const ObservedGraph& nodes) {
    ProfileTable table;
    for (const NodeId id : nodes.model.graph.nodes()) {
      const auto found = seconds.find(nodes.model.graph.node(id).op->name);
      table.add({.context = kHere,
                 .config = node_config(nodes.model, id),
                 .seconds = found == seconds.end() ? 1e-6 : found->second});
      ++timed;
    }
    return table;
  };
}

class ProfiledSearchTest : public testing::Test {
 protected:
  static ProfiledSearch searching(std::string rules) {
    return {{.methods = {"greedy", "taso:alpha=1.05,budget=20"},
             .rules = std::move(rules),
             .domains = {},
             .settings = {},
             .made_static =
                 [](const Model& model) {
                   Model copy = model;
                   fix_dims(copy, {.symbols = {{"N", 2}}, .inputs = {}});
                   infer_types(copy);
                   return copy;
                 }},
            {.context = kHere, .table = {}}};
  }

  const Model model_ = typed_model(R"(g (float[N,4] x) => (y, z)
    <float[4,2] v = {1,2,3,4,5,6,7,8}, float[4,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
      [one] y = MatMul(x, v)
      [two] z = MatMul(x, w) })");
  const Proposal start_{.model = std::make_shared<const Model>(model_), .options = {}, .steps = {}};
};

TEST_F(ProfiledSearchTest, FollowsWhatOperatorsWereTimedToTake) {
  std::size_t timed = 0;
  ProfiledSearch dear_products = searching("merge"), dear_splits = searching("merge");
  dear_products.learn(model_, timer_of({{"MatMul", 1e-3}}, timed));
  dear_splits.learn(model_, timer_of({{"Split", 1e-3}}, timed));
  const std::optional<Proposal> merged = dear_products.improve(start_, "greedy");
  ASSERT_TRUE(merged);
  EXPECT_EQ(operators(merged->model->graph), "MatMul Split");
  EXPECT_EQ(merged->steps.back().sites, 1u);
  EXPECT_FALSE(dear_splits.improve(start_, "greedy"));
  EXPECT_LT(dear_products.predicted_seconds(*merged->model), dear_products.predicted_seconds(model_));
}

TEST_F(ProfiledSearchTest, NothingIsTimedTwice) {
  std::size_t timed = 0;
  ProfiledSearch search = searching("merge");
  const auto timer = timer_of({}, timed);
  EXPECT_GT(search.learn(model_, timer), 0u);
  const std::size_t before = timed;
  EXPECT_EQ(search.learn(model_, timer), 0u);
  EXPECT_EQ(timed, before);
}

TEST_F(ProfiledSearchTest, ResultsComputeTheSameStayDynamicAndNameTheirOrigin) {
  std::size_t timed = 0;
  ProfiledSearch search = searching("merge");
  search.learn(model_, timer_of({{"MatMul", 1e-3}}, timed));
  const std::optional<Proposal> merged = search.improve(start_, "taso:alpha=1.05,budget=20");
  ASSERT_TRUE(merged);
  const Graph& graph = merged->model->graph;
  EXPECT_EQ(text_of(graph.value(graph.inputs()[0]).type), "float[N,4]");
  const std::vector<Origin> origins = made_by_rules(graph);
  ASSERT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins[0].from.size(), 2u);
}

TEST_F(ProfiledSearchTest, AMethodThatFindsWhatAnotherFoundIsNoOtherMove) {
  std::size_t timed = 0;
  ProfiledSearch search = searching("merge");
  search.learn(model_, timer_of({{"MatMul", 1e-3}}, timed));
  EXPECT_TRUE(search.improve(start_, "greedy"));
  EXPECT_FALSE(search.improve(start_, "taso:alpha=1.05,budget=20"));
  EXPECT_TRUE(search.improve(start_, "greedy"));
}

}  // namespace
}  // namespace hone
