#include "base/search_base.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <set>

namespace hone {
namespace {

/// A search for the least number.
class NumberSearch : public SearchBase<int> {
 public:
  explicit NumberSearch(const Budget& budget, Announcer announce = {}) : SearchBase(budget, std::move(announce)) {}

  bool try_number(int number) {
    spend(1);
    return improves(number);
  }
  using SearchBase::announce_best;
  using SearchBase::end_by;
  using SearchBase::end_replay;
  using SearchBase::is_line_due;
  using SearchBase::reckon_time_at;
  using SearchBase::replay_at;
  using SearchBase::reserve;
};

TEST(SearchBaseTest, TheCurveHasEveryImprovement) {
  NumberSearch search({});
  for (const int number : {5, 7, 3, 3, 1}) search.try_number(number);
  EXPECT_EQ(search.best(), 1);
  ASSERT_EQ(search.curve().size(), 3u);
  EXPECT_EQ(search.curve()[1].score, 3);
  EXPECT_EQ(search.curve()[1].evaluations, 3u);
  EXPECT_EQ(search.end(), SearchEnd::nothing_left);
  EXPECT_FALSE(search.spent());
}

TEST(SearchBaseTest, EndsWithTheEvaluations) {
  NumberSearch search({.evaluations = 4});
  search.try_number(1);
  EXPECT_EQ(search.share_spent(), 0.25);
  EXPECT_FALSE(search.spent());
  search.spend(3);
  EXPECT_TRUE(search.spent());
  EXPECT_EQ(search.end(), SearchEnd::evaluations);
  EXPECT_FALSE(search.deadline().is_over());
}

TEST(SearchBaseTest, EndsWhenTheTimeIsUp) {
  NumberSearch search({.seconds = 0});
  EXPECT_TRUE(search.spent());
  EXPECT_EQ(search.end(), SearchEnd::seconds);
  EXPECT_TRUE(search.deadline().is_over());
}

TEST(SearchBaseTest, LeavesTimeForWhatHasToBeDoneAtOnce) {
  NumberSearch search({.seconds = 100});
  EXPECT_FALSE(search.spent());
  search.reserve(101);
  EXPECT_EQ(search.end(), SearchEnd::seconds);
  EXPECT_TRUE(search.deadline().is_over());
}

TEST(SearchBaseTest, CtrlCComesBeforeAllOtherReasons) {
  const InterruptGuard guard;
  NumberSearch search({.evaluations = 1});
  search.try_number(1);
  search.end_by(SearchEnd::proved_best);
  EXPECT_EQ(search.end(), SearchEnd::proved_best);
  std::raise(SIGINT);
  EXPECT_TRUE(search.spent());
  EXPECT_EQ(search.end(), SearchEnd::interrupted);
  EXPECT_TRUE(Deadline().is_over());
}

TEST(SearchBaseTest, WhileAJournalIsReplayedTheClockStandsAndEndsNothing) {
  NumberSearch search({.seconds = 10});
  search.replay_at(12);
  EXPECT_EQ(search.seconds(), 12);
  EXPECT_FALSE(search.spent());
  search.end_replay();
  EXPECT_GE(search.seconds(), 12);
  EXPECT_TRUE(search.spent());
  search.reckon_time_at(5);
  EXPECT_EQ(search.share_spent(), 0.5);
}

TEST(SearchBaseTest, LinesComeNowAndThen) {
  std::string told;
  NumberSearch search({}, [&](const std::string& line) { told = line; });
  EXPECT_FALSE(search.is_line_due());
  search.replay_at(1);
  EXPECT_TRUE(search.is_line_due());
  search.try_number(3);
  search.announce_best("three");
  EXPECT_EQ(told, "1 s; best three; 1 evaluations");
  EXPECT_FALSE(search.is_line_due());
  EXPECT_FALSE(NumberSearch({}).is_line_due());
}

TEST(SearchBaseTest, LinesTellTheShareOfTheNearestEnd) {
  std::string told;
  NumberSearch search({.evaluations = 4, .seconds = 1000}, [&](const std::string& line) { told = line; });
  search.replay_at(1);
  search.try_number(3);
  search.announce_best("three");
  EXPECT_EQ(told, "25 %, 1 s, about 3 s left; best three; 1 evaluations");
}

TEST(SearchBaseTest, EveryEndHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  for (const SearchEnd end : {SearchEnd::nothing_left, SearchEnd::evaluations, SearchEnd::seconds,
                              SearchEnd::interrupted, SearchEnd::proved_best})
    texts.insert(text_of(end));
  EXPECT_EQ(texts.size(), 5u);
  EXPECT_FALSE(texts.contains(""));
}

TEST(DeadlineTest, TheEarlierOfTwoCounts) {
  EXPECT_EQ(Deadline().seconds_left(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(Deadline().or_in(0).is_over());
  EXPECT_TRUE(Deadline(0).or_in(100).is_over());
  EXPECT_FALSE(Deadline(100).or_in(50).is_over());
  EXPECT_LE(Deadline(100).or_in(50).seconds_left(), 50);
  EXPECT_FALSE(Deadline(std::numeric_limits<double>::infinity()).is_over());
}

}  // namespace
}  // namespace hone
