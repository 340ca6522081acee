#include "learn/train/rewrite_ppo.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "learn/policy/unlearned_policy.h"
#include "rewrite/search/method.h"

namespace hone::learn {
namespace {

/// Prices by operator alone.
class PlantedPrices final : public NodePricing {
 public:
  double seconds(const PricedNode& node) const override {
    const std::string& name = node.node->op->name;
    if (name == "Pow") return 1.6;
    if (name == "Mul" || name == "Sqrt") return 1;
    if (name == "Abs") return 0.1;
    return name == "Exp" ? 0.95 : 0.5;
  }
};

/// A square may become a power, which costs; the root of a power may become an absolute value, which pays. The root of
/// a square may also become something slightly cheaper, after which nothing pays any more. (Of the last rule only the
/// shape is true, which is enough here.)
constexpr std::string_view kPlantedRules = R"(
rule into-power
  y = Mul(x, x)
  where float(x)
=>
  y = Pow(x, 2)

rule root-of-power
  y = Sqrt(Pow(x, 2))
  where float(x)
=>
  y = Abs(x)

rule trap
  y = Sqrt(x)
  where float(x)
=>
  y = Exp(x)
)";

class PlantedRewriteTest : public testing::Test {
 protected:
  static std::vector<const Rule*> pointers(const std::vector<Rule>& rules) {
    std::vector<const Rule*> all;
    for (const Rule& rule : rules) all.push_back(&rule);
    return all;
  }

  double saved_by_greedy() const {
    RewriteSearch search(space_, {});
    RewriteMethodKind::make_by("greedy")->run(search);
    return 100 * (1 - search.best_state()->seconds / space_.start()->seconds);
  }

  /// Mean of what episodes save after so many rounds of learning.
  double saved_after(const RewritePolicyKind& kind, std::size_t rounds, const RewritePpo::Settings& settings) {
    RewritePpo learner(unlearned_policy("zero-step", {&kind, {.width = 16}}, parse_objective("seconds")), settings);
    constexpr std::size_t kHorizon = 8, kEpisodes = 10;
    double saved = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      const Policy policy(learner.contents(), "policy");
      std::vector<RewriteEpisode> episodes;
      saved = 0;
      for (std::size_t i = 0; i < kEpisodes; ++i) {
        RewriteEnvironment environment(space_, pricing_, {.horizon = kHorizon});
        Rng rng = Rng(round).split(i);
        episodes.push_back(draw_episode(environment, space_, policy, kHorizon, rng));
        saved += episodes.back().saved_percent / kEpisodes;
      }
      Rng order(round + 1000);
      learner.learn(episodes, order);
    }
    return saved;
  }

  const Model model_ = typed_model(R"(g (float[4] a, float[4] b) => (y, z) {
      p = Mul(a, a)
      y = Sqrt(p)
      q = Mul(b, b)
      z = Sqrt(q) })");
  const PlantedPrices prices_;
  const std::vector<Rule> rules_ = parse_rules(kPlantedRules, "planted");
  const RewriteSpace space_{model_, Matcher(pointers(rules_), RuleSetting::of(model_)), prices_};
  const SummedPricing pricing_;
  static constexpr double kBest = 95;  // percent: 4 s become 0.2
};

TEST_F(PlantedRewriteTest, GreedyTakesTheTrap) { EXPECT_NEAR(saved_by_greedy(), 2.5, 1e-6); }

TEST_F(PlantedRewriteTest, OurPolicyLearnsWhatCostsFirstAndPaysLater) {
  EXPECT_GT(saved_after(rewrite_policy(), 60, {.rate = 0.005}), 0.9 * kBest);
}

TEST_F(PlantedRewriteTest, PolicyAsPublishedLearnsItToo) {
  EXPECT_GT(saved_after(xrlflow_policy(), 30, {.rate = 0.001, .batch = 64}), 0.8 * kBest);
}

TEST_F(PlantedRewriteTest, GradientsAreOfWhatIsEvaluatedWithoutTheLibrary) {
  const std::vector<RewriteOption> options = space_.options(*space_.start());
  for (const RewritePolicyKind* kind : {&rewrite_policy(), &xrlflow_policy()}) {
    const Safetensors contents = unlearned_policy("untrained", {kind, {.width = 16}}, parse_objective("seconds"));
    const RewriteScene scene = kind->scene({space_, *space_.start(), options, 0.5});
    const ActionScores plain = kind->scores(Policy(contents, "test"), scene);
    const RewriteScene* const twice[] = {&scene, &scene};
    const RewriteTorch network(contents, "test");
    for (const RewriteTorch::Scores& scores : network.scores(twice)) {
      ASSERT_EQ(static_cast<std::size_t>(scores.logits.numel()), plain.logits.size());
      for (std::size_t i = 0; i < plain.logits.size(); ++i)
        EXPECT_NEAR(scores.logits[static_cast<std::int64_t>(i)].item<float>(), plain.logits[i], 1e-4) << kind->name();
      EXPECT_NEAR(scores.value.item<float>(), plain.value, 1e-4) << kind->name();
    }
  }
}

TEST(JudgeEpisodeTest, AdvantagesAreDiscountedSumsOfSurprises) {
  RewriteEpisode episode;
  episode.steps.resize(3);
  const double rewards[] = {1, -2, 4}, values[] = {0.5, 1, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    episode.steps[i].reward = rewards[i];
    episode.steps[i].value = values[i];
  }
  const RewardHorizon horizon{.discount = 0.9, .trace = 0.5};
  judge_episode(episode, horizon);
  const double last = 4 - 2, middle = -2 + 0.9 * 2 - 1 + 0.45 * last, first = 1 + 0.9 * 1 - 0.5 + 0.45 * middle;
  EXPECT_DOUBLE_EQ(episode.steps[2].advantage, last);  // held against the value, which the released program forgets
  EXPECT_DOUBLE_EQ(episode.steps[1].advantage, middle);
  EXPECT_DOUBLE_EQ(episode.steps[0].advantage, first);
  EXPECT_DOUBLE_EQ(episode.steps[0].target, first + 0.5);

  episode.end = EpisodeEnd::cut_short;
  episode.value_left = 10;
  judge_episode(episode, horizon);
  EXPECT_DOUBLE_EQ(episode.steps[2].advantage, last + 9);
}

}  // namespace
}  // namespace hone::learn
