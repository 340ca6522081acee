#include <gtest/gtest.h>

#include <algorithm>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/method.h"

// A method that stands in this file alone: what it takes to add one. Tests that loop over all methods meet it too.

namespace hone {
namespace {

struct FirstSavingParameters {
  std::int64_t steps = 1'000'000;
  Parameters list() { return Parameters().add("steps", &steps, {1, 1e9}, "rewrites at most"); }
};

/// Takes the first rewrite that saves anything, again and again.
class FirstSaving final : public RewriteMethod {
 public:
  explicit FirstSaving(FirstSavingParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    StatePointer state = search.start();
    for (std::int64_t step = 0; step < parameters_.steps && !search.spent(); ++step) {
      const std::vector<RewriteOption> options = search.expand(*state);
      const auto saving = std::ranges::find_if(
          options, [&](const RewriteOption& option) { return option.seconds < state->seconds * (1 - 1e-12); });
      if (saving == options.end()) return;
      state = search.take(state, *saving);
    }
  }

 private:
  FirstSavingParameters parameters_;
};

const RewriteMethodKind first_saving_kind = RewriteMethodKind::with_parameters<FirstSaving, FirstSavingParameters>(
    "first-saving", "the first rewrite that saves anything, again and again");

TEST(FirstSavingTest, IsFoundByNameAndSpendsTheBudgetOfTheSearch) {
  const Model model = typed_model("g (float[2,3] x) => (y) { a = Neg(x) b = Neg(a) c = Relu(b) y = Relu(c) }");
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(select_rules("relu-relu,neg-neg"), RuleSetting::of(model)), pricing);

  RewriteSearch whole(space, {});
  RewriteMethodKind::make_by("first-saving")->run(whole);
  EXPECT_EQ(operators(space.finish(model, *whole.best_state()).graph), "Relu");
  EXPECT_EQ(whole.evaluations(), 3u);  // nothing is left in the third state
  EXPECT_EQ(whole.end(), SearchEnd::nothing_left);
  ASSERT_EQ(whole.curve().size(), 3u);
  EXPECT_LT(whole.curve()[2].score, whole.curve()[1].score);

  RewriteSearch one_step(space, {});
  RewriteMethodKind::make_by("first-saving:steps=1")->run(one_step);
  EXPECT_EQ(one_step.best_state()->depth, 1u);

  RewriteSearch one_evaluation(space, {.budget = {.evaluations = 1}});
  RewriteMethodKind::make_by("first-saving")->run(one_evaluation);
  EXPECT_EQ(one_evaluation.best_state()->depth, 1u);
  EXPECT_EQ(one_evaluation.end(), SearchEnd::evaluations);
}

}  // namespace
}  // namespace hone
