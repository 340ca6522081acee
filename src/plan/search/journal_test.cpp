#include "plan/search/journal.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

/// A journal in a file of its own.
struct JournalTest : testing::Test {
  JournalTest() { fs::remove(path); }
  ~JournalTest() override { fs::remove(path); }

  static Problem random_problem() {
    Rng rng(3);
    Workload workload = random_workload(rng, 40);
    return {.workload = std::move(workload), .machine = random_machine(rng), .objective = Objective::seconds};
  }

  Solution solve(std::string_view optimizer, std::uint64_t evaluations, Journal* journal,
                 std::size_t threads = 1) const {
    return hone::solve(problem, "place+schedule", optimizer,
                       {.budget = {.evaluations = evaluations}, .threads = threads, .journal = journal});
  }

  /// What a run that was killed leaves behind.
  void cut_off(std::uintmax_t bytes) const { fs::resize_file(path, fs::file_size(path) - bytes); }

  fs::path path = fs::path(testing::TempDir()) / "search.journal";
  Problem problem = random_problem();
};

TEST_F(JournalTest, KeepsWhatWasWritten) {
  const Journal::Entry entry{.decisions = 5, .cost = {.seconds = 2, .peak_bytes = 3}, .seconds = 0.5};
  Journal(path, 1).append(std::vector(3, entry));
  const Journal again(path, 1);
  ASSERT_EQ(again.past().size(), 3U);
  EXPECT_EQ(again.past()[2].cost, entry.cost);
  EXPECT_EQ(again.past()[2].decisions, 5U);
}

TEST_F(JournalTest, DropsAnEntryThatWasWrittenInPart) {
  Journal(path, 1).append(std::vector<Journal::Entry>(3));
  cut_off(1);
  {
    Journal journal(path, 1);
    EXPECT_EQ(journal.past().size(), 2U);
    journal.append(std::vector<Journal::Entry>(4));
  }
  EXPECT_EQ(Journal(path, 1).past().size(), 6U);
}

TEST_F(JournalTest, RefusesWhatIsNotItsOwn) {
  Journal(path, 1);
  EXPECT_THROW(Journal(path, 2), InputError);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fputs("some other file that must not be overwritten", file);
  std::fclose(file);
  EXPECT_THROW(Journal(path, 1), InputError);
  EXPECT_THROW(Journal(fs::path(testing::TempDir()) / "no" / "such" / "folder", 1), InputError);
}

TEST_F(JournalTest, ASearchKilledAnywhereEndsLikeOneThatWasNot) {
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    SCOPED_TRACE(kind->name());
    fs::remove(path);
    const Solution whole = solve(kind->name(), 400, nullptr);
    {
      Journal journal(path, 1);
      solve(kind->name(), 400, &journal);
    }
    for (const std::uintmax_t lost :
         {std::uintmax_t{0}, std::uintmax_t{777}, fs::file_size(path) / 2, fs::file_size(path)}) {
      cut_off(std::min(lost, fs::file_size(path)));
      Journal journal(path, 1);
      const Solution resumed = solve(kind->name(), 400, &journal, 2);
      EXPECT_EQ(resumed.plan, whole.plan);
      EXPECT_EQ(resumed.evaluations, whole.evaluations);
    }
  }
}

TEST_F(JournalTest, SaysWhenTheSearchAsksForSomethingElse) {
  {
    Journal journal(path, 1);
    solve("random", 50, &journal);
  }
  Journal journal(path, 1);
  EXPECT_THROW(solve("brkga", 50, &journal), InputError);
}

}  // namespace
}  // namespace hone
