#include <gtest/gtest.h>

#include "base/hash.h"
#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/proof/same_results.h"
#include "rewrite/search/egraph_case_test.h"
#include "rewrite/search/extraction.h"
#include "rewrite/search/method.h"
#include "rewrite/search/prices_test.h"

namespace hone {
namespace {

class SaturateTest : public testing::Test {
 protected:
  static std::vector<const Rule*> pointers(const std::vector<Rule>& rules) {
    std::vector<const Rule*> found;
    for (const Rule& rule : rules) found.push_back(&rule);
    return found;
  }

  static std::vector<std::string> methods() {
    std::vector<std::string> specs = {"saturate:seeds=2"};
    for (const ExtractionKind* kind : ExtractionKind::all())
      specs.push_back(fmt::format("saturate:extract={}", kind->name()));
    return specs;
  }

  static Model best_of(const Model& model, std::string_view method, std::span<const Rule* const> rules) {
    const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
    const RewriteSpace space(model, Matcher(rules, RuleSetting::of(model, {"com.microsoft"})), pricing);
    RewriteSearch search(space, {});
    RewriteMethodKind::make_by(method)->run(search);
    EXPECT_LE(search.best_state()->seconds, search.start()->seconds);
    EXPECT_NEAR(search.best_state()->seconds, sum_of_prices(space, search.best_state()->graph), 1e-12);
    return space.finish(model, *search.best_state());
  }
};

// The first rewrite saves nothing; the one that it makes possible does.
TEST_F(SaturateTest, FindsWhatGreedyMisses) {
  const std::vector<Rule> rules = parse_rules(R"(
rule negation-as-product
  y = Neg(x)
  where float(x)
=>
  y = Mul(x, -1)

rule product-of-products
  y = Mul(Mul(x, a), b)
  where const(a), const(b), size(a) == 1, size(b) == 1
=>
  y = Mul(x, Mul(a, b))
)",
                                              "test");
  const Model model = typed_model("g (float[64,64] x) => (y) <float c = {3}> { a = Mul(x, c) y = Neg(a) }");
  EXPECT_EQ(operators(best_of(model, "greedy", pointers(rules)).graph), "Mul Neg");
  for (const std::string& method : methods()) {
    const Model after = best_of(model, method, pointers(rules));
    EXPECT_EQ(operators(after.graph), "Mul") << method;
    expect_stands_in(model, after);
  }
}

TEST_F(SaturateTest, MergesThreeProductsOfOneInput) {
  const Model model = typed_model(R"(g (float[65536,8] x) => (y, z, w)
    <float[8,1] a = {1,2,3,4,5,6,7,8}, float[8,1] b = {0,2,3,4,5,6,7,8}, float[8,1] c = {1,0,3,4,5,6,7,8}> {
      y = MatMul(x, a) z = MatMul(x, b) w = MatMul(x, c) })");
  for (const std::string& method : methods()) {
    const Model after = best_of(model, method, select_rules("merge,movement"));
    expect_stands_in(model, after);
    EXPECT_EQ(
        std::ranges::count_if(after.graph.nodes(), [&](NodeId id) { return after.graph.node(id).op->is("MatMul"); }), 1)
        << method << print(after);
  }
}

TEST_F(SaturateTest, KeepsOutputsThatBecomeEqual) {
  const Model model = typed_model(R"(g (float[2,3] x) => (y, z, w) {
      a = Transpose<perm=[1,0]>(x) y = Transpose<perm=[1,0]>(a) z = Relu(y) b = Relu(x) w = Relu(b) })");
  expect_stands_in(model, best_of(model, "saturate", select_rules("all")));
}

// Graphs made of several left sides of rules that hang together.
TEST_F(SaturateTest, RandomGraphsComputeTheSame) {
  std::size_t graphs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Choices choices = Choices::random(mix(7, seed));
    const InstanceSetting setting{
        .opset = 17, .element = ElementType::float64, .numbers = {.kind = DrawnNumbers::Kind::positive}, .scope = {}};
    const Model model = planted_model(setting, choices);
    if (model.graph.node_count() == 0) continue;
    ++graphs;
    const std::vector<Datum> inputs = drawn_inputs(model, choices, setting.numbers);
    const Model after = best_of(model, "saturate:nodes=300,rounds=4", all_rules());
    EXPECT_EQ(compare_results(model, after, inputs, {}).difference, std::nullopt) << print(model) << print(after);
  }
  EXPECT_GT(graphs, 25u);
}

TEST_F(SaturateTest, RefusesUnknownExtractions) {
  EXPECT_THROW(RewriteMethodKind::make_by("saturate:extract=luck"), InputError);
  EXPECT_THROW(RewriteMethodKind::make_by("saturate:luck=1"), InputError);
}

}  // namespace
}  // namespace hone
