#include "learn/rewrite/rewrite_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/method.h"
#include "rewrite/search/zoo_model_test.h"

namespace hone {
namespace {

class RewritePolicyTest : public testing::Test {
 protected:
  static Model squeezenet() { return clean_zoo_model("squeezenet:weights=zero,resolution=64"); }

  const Model model_ = squeezenet();
  const RooflinePricing pricing_{load_machine("cpu-gpu"), model_.opsets};
  const RewriteSpace space_{model_, Matcher(select_rules("all"), RuleSetting::of(model_)), pricing_};
  const std::vector<RewriteOption> options_ = space_.options(*space_.start());
};

TEST_F(RewritePolicyTest, TheOrderOfCandidatesMakesNoDifference) {
  const Policy policy = rewrite_policy_named("untrained", rewrite_policy());
  const auto scores_of = [&](const std::vector<RewriteOption>& options) {
    return rewrite_policy().scores(policy, rewrite_policy().scene({space_, *space_.start(), options, 1}));
  };
  std::vector<RewriteOption> turned = options_;
  std::ranges::reverse(turned);
  const ActionScores plain = scores_of(options_), reversed = scores_of(turned);
  ASSERT_EQ(plain.logits.size(), options_.size() + 1);
  for (std::size_t i = 0; i < options_.size(); ++i)
    EXPECT_NEAR(plain.logits[i], reversed.logits[options_.size() - 1 - i], 1e-4);
  EXPECT_NEAR(plain.logits.back(), reversed.logits.back(), 1e-4);
  EXPECT_NEAR(plain.value, reversed.value, 1e-4);
}

TEST_F(RewritePolicyTest, ACandidateCostsARowAndNotAGraph) {
  const RewriteScene ours = rewrite_policy().scene({space_, *space_.start(), options_, 1});
  EXPECT_LE(ours.nodes, space_.start()->graph.node_count() + options_.size() + 1);
}

TEST_F(RewritePolicyTest, AsPublishedGraphsShareRowsAndComeToWhatTheyComeToByThemselves) {
  const Policy policy = rewrite_policy_named("untrained", xrlflow_policy());
  const auto scene_of = [&](const RewriteState& state, std::span<const RewriteOption> options) {
    return xrlflow_policy().scene({space_, state, options, 1});
  };
  const auto sums_of = [&](const RewriteScene& scene) {
    return xrl_graph_sums(policy.network(kXrlGraphs).run(scene.input()), scene);
  };
  const RewriteScene together = scene_of(*space_.start(), options_);
  const std::vector<float> sums = sums_of(together);
  std::size_t rows_apart = 0;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const RewriteScene alone = scene_of(*space_.take(space_.start(), options_[i]), {});
    rows_apart += alone.nodes;
    const std::vector<float> own = sums_of(alone);
    ASSERT_EQ(own.size(), kXrlWidth + 1);
    for (std::size_t k = 0; k < own.size(); ++k)
      EXPECT_NEAR(sums[i * own.size() + k], own[k], 1e-3 * (1 + std::abs(own[k]))) << options_[i].match->rule->name;
  }
  EXPECT_LT(together.nodes, rows_apart / 4);
}

TEST_F(RewritePolicyTest, WithoutLearningItDoesWhatGreedyDoes) {
  RewriteSearch greedy(space_, {}), ours(space_, {});
  RewriteMethodKind::make_by("greedy")->run(greedy);
  RewriteMethodKind::make_by("hone-rewrite:policy=zero-step")->run(ours);
  const double start = space_.start()->seconds;
  EXPECT_GE(start - ours.best(), 0.9 * (start - greedy.best()));
}

TEST_F(RewritePolicyTest, InASearchItIsNoWorseThanAlone) {
  RewriteSearch alone(space_, {}), beam(space_, {}), tree(space_, {});
  RewriteMethodKind::make_by("hone-rewrite:policy=zero-step")->run(alone);
  RewriteMethodKind::make_by("hone-rewrite:policy=zero-step,search=beam,width=4")->run(beam);
  RewriteMethodKind::make_by("hone-rewrite:policy=zero-step,search=tree,rounds=40")->run(tree);
  EXPECT_LE(beam.best(), alone.best() * 1.01);
  EXPECT_LT(tree.best(), space_.start()->seconds);
}

TEST_F(RewritePolicyTest, CandidatesBeyondThePublishedSlotsAreNeverChosen) {
  std::vector<RewriteOption> many;
  while (many.size() <= kXrlSlots) many.insert(many.end(), options_.begin(), options_.end());
  const Policy policy = rewrite_policy_named("untrained", xrlflow_policy());
  const ActionScores scores =
      xrlflow_policy().scores(policy, xrlflow_policy().scene({space_, *space_.start(), many, 1}));
  ASSERT_EQ(scores.logits.size(), many.size() + 1);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(scores.logits, kXrlMasked)), many.size() + 1 - kXrlSlots);
  EXPECT_NE(scores.logits.back(), kXrlMasked);
}

TEST_F(RewritePolicyTest, RefusesPoliciesAboutSomethingElse) {
  EXPECT_THROW(rewrite_policy_named("guided-seconds", rewrite_policy()), InputError);
  EXPECT_THROW(RewriteMethodKind::make_by("hone-rewrite:search=deep"), InputError);
}

}  // namespace
}  // namespace hone
