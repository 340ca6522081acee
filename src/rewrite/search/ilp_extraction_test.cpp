#include <gtest/gtest.h>

#include "rewrite/search/extraction.h"
#include "rewrite/search/extraction_case_test.h"

namespace hone {
namespace {

TEST(IlpExtractionTest, FindsWhatTryingEverythingFinds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ExtractionProblem problem = random_extraction(seed);
    const Selection found = ExtractionKind::named("ilp").improve(problem, first_makers(problem), {.nodes = 1000});
    EXPECT_EQ(total_seconds(problem, found), least_seconds(problem)) << seed;
  }
}

TEST(IlpExtractionTest, KeepsTheGreedyChoiceWithoutATree) {
  const ExtractionProblem problem = random_extraction(3);
  const Selection start = first_makers(problem);
  const Selection found = ExtractionKind::named("ilp").improve(problem, start, {.nodes = 0});
  EXPECT_LE(total_seconds(problem, found), total_seconds(problem, descend(problem, start)));
}

TEST(IlpExtractionTest, KeepsTheStartWithoutTime) {
  const ExtractionProblem problem = random_extraction(3);
  const Selection start = first_makers(problem);
  const Selection found = ExtractionKind::named("ilp").improve(problem, start, {.deadline = Deadline(0)});
  EXPECT_EQ(total_seconds(problem, found), total_seconds(problem, start));
}

}  // namespace
}  // namespace hone
