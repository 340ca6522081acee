#include "rewrite/search/extracted_graph.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/proof/same_results.h"
#include "rewrite/search/egraph_case_test.h"
#include "rewrite/search/prices_test.h"
#include "rewrite/search/space.h"

namespace hone {
namespace {

constexpr std::uint64_t kGraphs = 60;

class ExtractedGraphTest : public testing::Test {
 protected:
  static Selection random_selection(const ExtractionProblem& problem, Choices& choices) {
    Selection selection;
    for (const auto& makers : problem.makers)
      selection.push_back(makers.empty() ? 0 : makers[choices.pick(makers.size())]);
    return selection;
  }
};

// Whatever is chosen computes the same, not only what is cheapest.
TEST_F(ExtractedGraphTest, EveryChoiceComputesTheSame) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
    Choices choices = Choices::random(mix(11, seed));
    const InstanceSetting setting{
        .opset = 17, .element = ElementType::float64, .numbers = {.kind = DrawnNumbers::Kind::positive}, .scope = {}};
    const Model model = planted_model(setting, choices);
    if (model.graph.node_count() == 0) continue;
    const std::vector<Datum> inputs = drawn_inputs(model, choices, setting.numbers);
    const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
    const RewriteSpace space(model, Matcher(all_rules(), RuleSetting::of(model, {"com.microsoft"})), pricing);
    EGraph egraph(model.graph, space.matcher().setting());
    CycleFilter filter(egraph);
    for (int round = 0; round < 3; ++round) grow(egraph, filter, space.matcher());
    const EGraphExtraction extraction(egraph, filter,
                                      [&](const Graph& graph, NodeId id) { return space.node_seconds(graph, id); });
    for (int draw = 0; draw < 4; ++draw) {
      const Selection selection = random_selection(extraction.problem(), choices);
      const StatePointer state = space.adopt(extraction.build(model.graph, selection));
      EXPECT_NEAR(state->seconds, sum_of_prices(space, state->graph), 1e-12);
      changed += state->hash != space.start()->hash ? 1 : 0;
      const Model after = space.finish(model, *state);
      EXPECT_EQ(compare_results(model, after, inputs, {}).difference, std::nullopt) << seed << '\n'
                                                                                    << print(model) << print(after);
    }
  }
  EXPECT_GT(changed, 2 * kGraphs);
}

TEST_F(ExtractedGraphTest, TheOldestChoiceIsTheOriginal) {
  const Model model = typed_model(R"(g (float[2,4] x) => (y, z)
    <float[4,3] v = {1,2,3,4,5,6,7,8,9,10,11,12}, float[4,3] w = {1,0,3,4,5,6,7,8,9,10,11,12}> {
      a = MatMul(x, v) b = MatMul(x, w) y = Relu(a) z = Neg(b) })");
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(all_rules(), RuleSetting::of(model)), pricing);
  EGraph egraph(model.graph, space.matcher().setting());
  CycleFilter filter(egraph);
  grow(egraph, filter, space.matcher());
  const EGraphExtraction extraction(egraph, filter,
                                    [&](const Graph& graph, NodeId id) { return space.node_seconds(graph, id); });
  const StatePointer state = space.adopt(extraction.build(model.graph, extraction.oldest()));
  EXPECT_EQ(state->hash, space.start()->hash);
  EXPECT_DOUBLE_EQ(total_seconds(extraction.problem(), extraction.oldest()), space.start()->seconds);
}

}  // namespace
}  // namespace hone
