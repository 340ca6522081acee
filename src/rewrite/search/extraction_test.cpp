#include "rewrite/search/extraction.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "rewrite/search/extraction_case_test.h"

namespace hone {
namespace {

/// Two products of one input (choices 0 and 1), or both as parts (choice 3) of one that is larger (choice 2).
ExtractionProblem merged_products() {
  ExtractionProblem problem;
  problem.makers = {{}, {2}, {0, 3}, {1, 3}};
  problem.choices = {{.seconds = 5, .needs = {0}, .makes = {2}},
                     {.seconds = 5, .needs = {0}, .makes = {3}},
                     {.seconds = 6, .needs = {0}, .makes = {1}},
                     {.seconds = 1, .needs = {1}, .makes = {2, 3}}};
  problem.roots = {2, 3};
  return problem;
}

TEST(ExtractionTest, CountsWhatIsSharedOnce) {
  const ExtractionProblem problem = merged_products();
  EXPECT_EQ(total_seconds(problem, {0, 2, 0, 1}), 10);
  EXPECT_EQ(total_seconds(problem, {0, 2, 3, 3}), 7);
  EXPECT_EQ(needed_choices(problem, {0, 2, 3, 3}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(ExtractionTest, TakesAChoiceThatPaysForSeveralClassesTogether) {
  const ExtractionProblem problem = merged_products();
  EXPECT_EQ(total_seconds(problem, descend(problem, {0, 2, 0, 1})), 7);
}

TEST(ExtractionTest, DescentIsNeverWorseThanItsStartAndMostlyTheBest) {
  std::size_t best = 0;
  constexpr std::size_t kProblems = 60;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const ExtractionProblem problem = random_extraction(seed);
    const Selection start = first_makers(problem);
    const double found = total_seconds(problem, descend(problem, start)), least = least_seconds(problem);
    EXPECT_LE(found, total_seconds(problem, start));
    EXPECT_GE(found, least);
    best += found == least ? 1 : 0;
  }
  EXPECT_GE(best, kProblems * 2 / 3);
}

TEST(ExtractionTest, RefusesUnknownNames) { EXPECT_THROW(ExtractionKind::named("luck"), InputError); }

}  // namespace
}  // namespace hone
