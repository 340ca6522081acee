#include "plan/methods/late_acceptance.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Score score_of(double value) { return {.value = value}; }

TEST(LateAcceptance, WithoutAPastTakesOnlyWhatIsNoWorse) {
  LateAcceptance acceptance(0);
  acceptance.restart(score_of(5));
  EXPECT_TRUE(acceptance.accepts(score_of(4), score_of(5)));
  EXPECT_TRUE(acceptance.accepts(score_of(5), score_of(5)));
  EXPECT_FALSE(acceptance.accepts(score_of(5.1), score_of(5)));
}

TEST(LateAcceptance, TakesWhatIsNoWorseThanSomeStepsAgo) {
  LateAcceptance acceptance(2);
  acceptance.restart(score_of(10));
  EXPECT_TRUE(acceptance.accepts(score_of(7), score_of(10)));
  EXPECT_TRUE(acceptance.accepts(score_of(9), score_of(7))) << "two steps ago it was 10";
  EXPECT_FALSE(acceptance.accepts(score_of(8), score_of(7.5))) << "two steps ago it was 7";
  EXPECT_TRUE(acceptance.accepts(score_of(8.5), score_of(7.5))) << "two steps ago it was 9";
}

TEST(LateAcceptance, NeverRemembersWorseThanItHad) {
  LateAcceptance acceptance(1);
  acceptance.restart(score_of(3));
  EXPECT_FALSE(acceptance.accepts(score_of(9), score_of(8)));
  EXPECT_FALSE(acceptance.accepts(score_of(9), score_of(8))) << "what is refused leaves no trace";
  EXPECT_TRUE(acceptance.accepts(score_of(3), score_of(2))) << "it was 3 one step ago";
  EXPECT_FALSE(acceptance.accepts(score_of(4), score_of(2)));
}

}  // namespace
}  // namespace hone
