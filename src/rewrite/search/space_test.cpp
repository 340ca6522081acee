#include "rewrite/search/space.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/method.h"
#include "rewrite/search/prices_test.h"
#include "zoo/registry.h"

namespace hone {
namespace {

class SpaceTest : public testing::Test {
 protected:
  static RewriteSpace space_of(const Model& model, const NodePricing& pricing, std::string_view rules = "all") {
    return RewriteSpace(model, Matcher(select_rules(rules), RuleSetting::of(model)), pricing);
  }
  static RooflinePricing pricing_of(const Model& model) { return {load_machine("cpu-gpu"), model.opsets}; }

  const Model model_ = typed_model(R"(g (float[1,4,8,8] x) => (float[1,2,8,8] y, z)
    <float[2,4,1,1] v = {1,2,3,4,5,6,7,8}, float[3,4,1,1] w = {1,2,3,4,5,6,7,8,9,10,11,12},
     float[3] s = {1,2,3}, float[3] t = {0,1,0}, float[3] m = {1,1,2}, float[3] q = {4,1,9}> {
      a = Conv(x, v)
      y = Relu(a)
      b = Conv(x, w)
      c = BatchNormalization(b, s, t, m, q)
      z = Relu(c) })");
};

TEST_F(SpaceTest, JudgesARewriteWithoutMakingIt) {
  const RooflinePricing pricing = pricing_of(model_);
  const RewriteSpace space = space_of(model_, pricing);
  StatePointer state = space.start();
  for (int step = 0; step < 6; ++step) {
    const std::vector<RewriteOption> options = space.options(*state);
    if (options.empty()) break;
    for (const RewriteOption& option : options) {
      const StatePointer next = space.take(state, option);
      EXPECT_NEAR(next->seconds, sum_of_prices(space, next->graph), 1e-12) << option.match->rule->name;
      EXPECT_EQ(next->seconds, option.seconds);
    }
    state = space.take(state, options[options.size() / 2]);
  }
}

TEST_F(SpaceTest, GivesOneHashToTwoOrdersOfTheSameRewrites) {
  const Model model = typed_model(R"(g (float[2,3] x) => (y, z) {
      a = Relu(x)
      y = Relu(a)
      b = Neg(x)
      z = Neg(b) })");
  const RooflinePricing pricing = pricing_of(model);
  const RewriteSpace space = space_of(model, pricing, "relu-relu,neg-neg");
  const std::vector<RewriteOption> options = space.options(*space.start());
  ASSERT_EQ(options.size(), 2u);
  std::set<std::uint64_t> hashes;
  for (const std::size_t first : {0, 1}) {
    const StatePointer state = space.take(space.start(), options[first]);
    const std::vector<RewriteOption> left = space.options(*state);
    ASSERT_EQ(left.size(), 1u);
    hashes.insert(left[0].hash);
  }
  EXPECT_EQ(hashes.size(), 1u);
}

/// What options come to, whatever their order.
std::multiset<std::pair<std::uint64_t, double>> summary_of(const std::vector<RewriteOption>& options) {
  std::multiset<std::pair<std::uint64_t, double>> summary;
  for (const RewriteOption& option : options) summary.emplace(option.hash, option.seconds);
  return summary;
}

TEST_F(SpaceTest, MatchingAroundAChangeFindsWhatMatchingEverywhereFinds) {
  // Convolutions that may be merged only while none depends on another, weights computed from weights, shared values,
  // several readers, a chain of axes and a value that becomes constant.
  const Model model = typed_model(R"(g (float[1,4,8,8] x, float[1,4,8,8] u) => (y, z, q, r)
    <float[4,4,1,1] v = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, float[4,4,1,1] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16},
     float[4] s = {1,2,3,4}, float[4] t = {0,1,0,1}, float[4] m = {1,1,2,1}, float[4] k = {4,1,9,1}, float one = {1},
     float two = {2}> {
      a = Conv(x, v)
      b = Conv(x, w)
      c = BatchNormalization(b, s, t, m, k)
      d = Relu(c)
      e = Conv(d, v)
      f = Add(a, e)
      y = Relu(f)
      g1 = Transpose<perm = [0, 2, 3, 1]>(d)
      g2 = Relu(g1)
      g3 = Transpose<perm = [0, 3, 1, 2]>(g2)
      z = Mul(g3, two)
      h1 = Sub(u, u)
      h2 = Add(h1, one)
      h3 = Mul(h2, a)
      q = Mul(h3, two)
      i1 = Concat<axis = 1>(a, d)
      i2 = Relu(i1)
      r1, r2 = Split<axis = 1, num_outputs = 2>(i2)
      r = Add(r1, r2) })");
  const RooflinePricing pricing = pricing_of(model);
  const RewriteSpace space = space_of(model, pricing);
  Rng rng(7);
  for (int walk = 0; walk < 12; ++walk) {
    StatePointer state = space.start();
    for (int step = 0; step < 15; ++step) {
      const std::vector<RewriteOption> options = space.options(*state);
      RewriteState anew = *state;
      anew.found = RewriteFinder(space.matcher()).everywhere(space, anew, {});
      ASSERT_EQ(summary_of(options), summary_of(space.options(anew))) << "walk " << walk << ", step " << step;
      if (options.empty()) break;
      state = space.take(state, options[rng.below(options.size())]);
    }
  }
}

TEST_F(SpaceTest, FinishedModelsComputeTheSameAndCostLess) {
  const RooflinePricing pricing = pricing_of(model_);
  const RewriteSpace space = space_of(model_, pricing);
  for (const RewriteMethodKind* kind : RewriteMethodKind::all()) {
    RewriteSearch search(space, {.budget = {.evaluations = 60}, .seed = 4});
    kind->make("")->run(search);
    const bool is_taught = kind->name() != "xrlflow";  // whose policy has to be named
    EXPECT_TRUE(!is_taught || search.best_state()->seconds < space.start()->seconds) << kind->name();
    EXPECT_LE(search.evaluations(), 60u) << kind->name();
    expect_stands_in(model_, space.finish(model_, *search.best_state()));

    RewriteSearch again(space, {.budget = {.evaluations = 60}, .seed = 4});
    kind->make("")->run(again);
    EXPECT_EQ(again.best_state()->hash, search.best_state()->hash) << kind->name();
  }
}

TEST_F(SpaceTest, BacktrackingIsAtLeastAsGoodAsGreedy) {
  Model model = build_zoo("squeezenet:weights=zero");
  clean(model);
  infer_types(model);
  const RooflinePricing pricing = pricing_of(model);
  const RewriteSpace space = space_of(model, pricing, "merge,activation");
  RewriteSearch greedy(space, {}), taso(space, {});
  RewriteMethodKind::make_by("greedy")->run(greedy);
  RewriteMethodKind::make_by("taso:alpha=1.05,budget=30")->run(taso);
  EXPECT_LE(taso.best_state()->seconds, greedy.best_state()->seconds);
}

/// Wants graphs with as many nodes as possible.
class MoreIsBetter final : public GraphPricing {
 public:
  double seconds(const RewriteState& state) const override { return 1 / static_cast<double>(state.graph.node_count()); }
};

TEST_F(SpaceTest, AnotherPricingOfGraphsChoosesAmongThoseMet) {
  const RooflinePricing pricing = pricing_of(model_);
  const RewriteSpace space = space_of(model_, pricing);
  const MoreIsBetter more;
  for (const char* method : {"random", "taso", "beam"}) {
    RewriteSearch plain(space, {.seed = 4}), other(space, {.seed = 4, .pricing = &more});
    RewriteMethodKind::make_by(method)->run(plain);
    RewriteMethodKind::make_by(method)->run(other);
    EXPECT_EQ(other.least_sum(), plain.best()) << method;  // the search is the same, the choice is not
    EXPECT_GE(other.best_state()->graph.node_count(), space.start()->graph.node_count()) << method;
  }
}

TEST_F(SpaceTest, RefusesUnknownMethodsAndParameters) {
  EXPECT_THROW(RewriteMethodKind::make_by("luck"), InputError);
  EXPECT_THROW(RewriteMethodKind::make_by("taso:alpha=0.5"), InputError);
}

}  // namespace
}  // namespace hone
