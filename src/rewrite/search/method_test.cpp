#include "rewrite/search/method.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/interrupt.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/prices_test.h"
#include "rewrite/search/zoo_model_test.h"

namespace hone {
namespace {

constexpr double kOverrun = 1.5;  // seconds that a busy machine may add

/// A roofline that takes its time over every question once `delay_seconds` is set.
class SlowPricing final : public NodePricing {
 public:
  explicit SlowPricing(const Opsets& opsets) : roofline_(load_machine("cpu-gpu"), opsets) {}

  double seconds(const PricedNode& node) const override {
    std::this_thread::sleep_for(std::chrono::duration<double>(delay_seconds));
    return roofline_.seconds(node);
  }

  double delay_seconds = 0;

 private:
  RooflinePricing roofline_;
};

/// A large graph with far more rewrites than any method gets through in the time of these tests.
class RewriteMethodTest : public testing::Test {
 protected:
  static Model large_model() { return clean_zoo_model("nasnet-a:weights=zero"); }

  /// Every method there is, and some of them with more to do.
  static std::vector<std::string> methods() {
    std::vector<std::string> specs;
    for (const RewriteMethodKind* kind : RewriteMethodKind::all()) specs.emplace_back(kind->name());
    for (const char* spec : {"taso:alpha=2,budget=1000000", "beam:width=1000,patience=1000", "mcts:rounds=1000000",
                             "anneal:steps=1000000", "random:walks=1000000", "saturate:nodes=1000000,seeds=1000",
                             "saturate:extract=ilp,tree=1000000,choosing=1000"})
      specs.emplace_back(spec);
    return specs;
  }

  const Model model_ = large_model();
  SlowPricing pricing_{model_.opsets};
  const RewriteSpace space_{model_, Matcher(select_rules("all"), RuleSetting::of(model_)), pricing_};
};

TEST_F(RewriteMethodTest, EveryMethodEndsInTimeWithTheBestSoFar) {
  constexpr double kLimit = 0.5;
  pricing_.delay_seconds = 1e-3;
  for (const std::string& spec : methods()) {
    RewriteSearch search(space_, {.budget = {.seconds = kLimit}});
    RewriteMethodKind::make_by(spec)->run(search);
    EXPECT_LT(search.seconds(), kLimit + kOverrun) << spec;
    EXPECT_NEAR(search.best_state()->seconds, sum_of_prices(space_, search.best_state()->graph), 1e-9) << spec;
    EXPECT_EQ(search.best(), search.best_state()->seconds) << spec;
    if (spec.starts_with("taso:")) {
      EXPECT_EQ(search.end(), SearchEnd::seconds);
    }
  }
}

TEST_F(RewriteMethodTest, EveryMethodEndsOnCtrlC) {
  for (const std::string& spec : methods()) {
    const InterruptGuard guard;
    std::jthread user([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the fastest method takes ten times as long
      std::raise(SIGINT);
    });
    RewriteSearch search(space_, {});
    RewriteMethodKind::make_by(spec)->run(search);
    EXPECT_LT(search.seconds(), kOverrun) << spec;
    user.join();
    EXPECT_EQ(search.end(), SearchEnd::interrupted) << spec;
  }
}

TEST_F(RewriteMethodTest, ASpaceOpensInTimeWithFewerRewrites) {
  pricing_.delay_seconds = 0;
  const Matcher matcher(select_rules("all"), RuleSetting::of(model_));
  const RewriteSpace late(model_, matcher, pricing_, Deadline(0));
  EXPECT_EQ(late.start()->seconds, space_.start()->seconds);
  EXPECT_TRUE(late.options(*late.start()).empty());
  EXPECT_FALSE(space_.options(*space_.start()).empty());
}

TEST_F(RewriteMethodTest, TellsTheBestSoFarNowAndThen) {
  std::vector<std::string> told;
  pricing_.delay_seconds = 0;
  RewriteSearch search(space_, {.budget = {.seconds = 0.8}, .seed = 0, .announce = [&](const std::string& line) {
                                  told.push_back(line);
                                }});
  RewriteMethodKind::make_by("taso:budget=1000000")->run(search);  // ended by time alone
  ASSERT_FALSE(told.empty());
  EXPECT_LE(told.size(), 5u);
  EXPECT_NE(told.back().find(" % less than at the start"), std::string::npos) << told.back();
}

}  // namespace
}  // namespace hone
