#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "plan/memory/best_fit.h"
#include "plan/memory/pack_search.h"
#include "plan/memory/plan_memory.h"
#include "plan/memory/time_sweep.h"

namespace hone {
namespace {

MemoryProblem problem_of(std::vector<MemoryBuffer> buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].name = std::string(1, static_cast<char>('a' + i));
  return {.buffers = std::move(buffers)};
}

MemoryProblem random_problem(Rng& rng, std::size_t count, std::int64_t most_alignment) {
  std::vector<MemoryBuffer> buffers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t lower = rng.between(-4, 6);
    buffers.push_back({.lower = lower,
                       .upper = lower + rng.between(1, 5),
                       .size = rng.between(0, 9),
                       .alignment = rng.between(1, most_alignment)});
  }
  return problem_of(std::move(buffers));
}

/// The lowest height there is: every plan that is pushed down is what laying out in some order gives, each buffer above
/// all that overlap it.
std::int64_t lowest_height(const MemoryProblem& problem) {
  const std::vector<MemoryBuffer>& buffers = problem.buffers;
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::int64_t best = MemoryProblem::kUnlimited;
  do {
    std::vector<std::int64_t> top(buffers.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const MemoryBuffer& buffer = buffers[order[k]];
      if (buffer.size == 0) continue;
      std::int64_t offset = 0;
      for (std::size_t before = 0; before < k; ++before) {
        const MemoryBuffer& other = buffers[order[before]];
        if (other.lower < buffer.upper && buffer.lower < other.upper) offset = std::max(offset, top[order[before]]);
      }
      while (offset % buffer.alignment != 0) ++offset;
      top[order[k]] = offset + buffer.size;
    }
    best = std::min(best, *std::ranges::max_element(top));
  } while (std::ranges::next_permutation(order).found);
  return best;
}

TEST(MemoryProblemTest, CheckNamesTheBuffersThatCollide) {
  const MemoryProblem problem = problem_of({{.upper = 4, .size = 8}, {.lower = 3, .upper = 6, .size = 4}});
  EXPECT_EQ(check(problem, {{0, 8}, 12}), std::nullopt);
  EXPECT_EQ(check(problem, {{0, 7}, 11}),
            "buffers 'a' ([0, 4) in time, [0, 8) in memory) and 'b' ([3, 6) in time, [7, 11) in memory) collide");
}

TEST(MemoryProblemTest, CheckSeesWhatOneBufferDoesWrong) {
  MemoryProblem problem = problem_of({{.upper = 4, .size = 8, .alignment = 4}});
  EXPECT_NE(check(problem, {{-4}, 4})->find("outside"), std::string::npos);
  EXPECT_NE(check(problem, {{2}, 10})->find("not a multiple of 4"), std::string::npos);
  EXPECT_NE(check(problem, {{0}, 9})->find("said to be 9 and is 8"), std::string::npos);
  EXPECT_NE(check(problem, {{}, 0})->find("0 offsets for 1 buffers"), std::string::npos);
  problem.capacity = 11;
  EXPECT_NE(check(problem, {{4}, 12})->find("above the capacity of 11"), std::string::npos);
}

TEST(MemoryProblemTest, BuffersThatTouchInTimeShareMemory) {
  const MemoryProblem problem = problem_of({{.upper = 4, .size = 8}, {.lower = 4, .upper = 6, .size = 4}});
  EXPECT_EQ(live_bytes_bound(problem), 8);
  EXPECT_EQ(check(problem, {{0, 0}, 8}), std::nullopt);
}

TEST(MemoryProblemTest, CheckFindsWhatComparingAllPairsFinds) {
  Rng rng(13);
  const auto share = [](std::int64_t a, std::int64_t a_end, std::int64_t b, std::int64_t b_end) {
    return std::max(a, b) < std::min(a_end, b_end);
  };
  int collisions = 0;
  for (int round = 0; round < 300; ++round) {
    const MemoryProblem problem = random_problem(rng, 6, 1);
    MemoryPlan plan;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) plan.offset_of.push_back(rng.between(0, 30));
    plan.height = height_of(problem, plan.offset_of);
    bool collide = false;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const MemoryBuffer &a = problem.buffers[i], &b = problem.buffers[j];
        collide |= share(a.lower, a.upper, b.lower, b.upper) &&
                   share(plan.offset_of[i], plan.offset_of[i] + a.size, plan.offset_of[j], plan.offset_of[j] + b.size);
      }
    EXPECT_EQ(check(problem, plan).has_value(), collide) << "round " << round;
    collisions += collide ? 1 : 0;
  }
  EXPECT_GT(collisions, 50);
  EXPECT_LT(collisions, 250);
}

TEST(MemoryProblemTest, RefusesWhatCannotBePlanned) {
  const std::int64_t huge = MemoryProblem::kUnlimited;
  EXPECT_THROW(plan_memory(problem_of({{.lower = 1, .upper = 1}}), {}), InputError);
  EXPECT_THROW(plan_memory(problem_of({{.upper = 1, .size = -1}}), {}), InputError);
  EXPECT_THROW(plan_memory(problem_of({{.upper = 1, .size = 1, .alignment = 0}}), {}), InputError);
  EXPECT_THROW(plan_memory(problem_of({{.upper = 1, .size = huge}, {.upper = 1, .size = huge}}), {}), InputError);
}

TEST(SectionsTest, KeepOnlyTheTimesWhenMostIsAlive) {
  const MemoryProblem problem = problem_of({{.upper = 10, .size = 1},
                                            {.lower = 2, .upper = 5, .size = 2},
                                            {.lower = 5, .upper = 8, .size = 4},
                                            {.lower = 12, .upper = 13, .size = 8}});
  const Sections sections(problem);
  EXPECT_EQ(sections.live, (std::vector<std::int64_t>{3, 5, 8}));
  EXPECT_EQ(sections.independent_parts(), (std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {3}}));
  EXPECT_FALSE(sections.span_of[1].overlaps(sections.span_of[2]));
  EXPECT_TRUE(sections.span_of[0].overlaps(sections.span_of[2]));
}

TEST(BestFitTest, TightestGapLeavesTheLargerOne) {
  // Two gaps over time [0, 4): [0, 6) and [8, 10). A buffer of two bytes goes into the first or into the tighter one.
  const MemoryProblem problem = problem_of({{.lower = 2, .upper = 9, .size = 6},
                                            {.upper = 9, .size = 2},
                                            {.lower = 4, .upper = 9, .size = 2},
                                            {.upper = 9, .size = 3},
                                            {.upper = 2, .size = 2}});
  const std::vector<std::uint32_t> order = {0, 1, 2, 3, 4};
  EXPECT_EQ(fit_in_order(problem, Sections(problem), order, GapChoice::lowest).offset_of,
            (std::vector<std::int64_t>{0, 6, 8, 10, 0}));
  EXPECT_EQ(fit_in_order(problem, Sections(problem), order, GapChoice::tightest).offset_of,
            (std::vector<std::int64_t>{0, 6, 8, 10, 8}));
}

TEST(BestFitTest, EveryOrderGivesAValidPlan) {
  Rng rng(5);
  for (int round = 0; round < 50; ++round) {
    const MemoryProblem problem = random_problem(rng, 30, 4);
    const Sections sections(problem);
    std::vector<std::uint32_t> all(problem.buffers.size());
    std::iota(all.begin(), all.end(), 0U);
    for (const MemoryOrder order : kMemoryOrders)
      for (const GapChoice choice : {GapChoice::lowest, GapChoice::tightest})
        EXPECT_EQ(check(problem, fit_in_order(problem, sections, sorted_by(order, problem, sections, all), choice)),
                  std::nullopt);
  }
}

TEST(BestFitTest, InTimeIsTheTightestGapInTheOrderOfStarts) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const MemoryProblem problem = random_problem(rng, 1 + rng.below(20), 1);
    const Sections sections(problem);
    std::vector<std::uint32_t> all(problem.buffers.size());
    std::iota(all.begin(), all.end(), 0U);
    const std::vector<std::uint32_t> starts = sorted_by(MemoryOrder::start, problem, sections, all);
    EXPECT_EQ(fit_in_time(problem, sections), fit_in_order(problem, sections, starts, GapChoice::tightest));
    const MemoryProblem aligned = random_problem(rng, 1 + rng.below(20), 8);
    EXPECT_EQ(check(aligned, fit_in_time(aligned, Sections(aligned))), std::nullopt);
  }
}

TEST(BestFitTest, LaysOutManyBuffersThatAllOverlapInOneSweep) {
  constexpr std::int64_t kCount = 20'000;
  MemoryProblem problem;
  for (std::int64_t i = 0; i < kCount; ++i)
    problem.buffers.push_back({.name = "buffer", .lower = i, .upper = i + kCount, .size = 1 + i % 7});
  const MemoryPlan plan = best_fit(problem, Sections(problem), Deadline());
  EXPECT_EQ(check(problem, plan), std::nullopt);
  EXPECT_EQ(plan.height, live_bytes_bound(problem));
}

TEST(PackSearchTest, AgreesWithAllOrdersTriedOut) {
  Rng rng(7);
  for (int round = 0; round < 150; ++round) {
    const MemoryProblem problem = random_problem(rng, 7, round % 2 == 0 ? 1 : 4);
    const MemoryOutcome outcome = plan_memory(problem, {});
    EXPECT_EQ(check(problem, outcome.plan), std::nullopt);
    EXPECT_TRUE(outcome.optimal());
    EXPECT_EQ(outcome.plan.height, lowest_height(problem)) << "round " << round;
  }
}

TEST(PackSearchTest, DecidesEveryCapacityWhateverIsPreferred) {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    const MemoryProblem problem = random_problem(rng, 7, round % 2 == 0 ? 1 : 3);
    const std::int64_t lowest = lowest_height(problem);
    const Sections sections(problem);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < problem.buffers.size(); ++i)
      if (problem.buffers[i].size > 0) order.push_back(i);
    std::vector<double> preference(order.size());
    PackSearch search(problem, sections, order);
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      for (double& each : preference) each = rng.uniform();
      EXPECT_EQ(search.run(lowest, preference, {.nodes = 1u << 20}), PackSearch::Outcome::found);
      EXPECT_EQ(search.run(lowest - 1, preference, {.nodes = 1u << 20}), PackSearch::Outcome::impossible);
    }
  }
}

TEST(PlanMemoryTest, StopsAtACapacityOrProvesThatThereIsNoPlan) {
  // Alive together are at most 4 bytes, yet no plan has a height of 4.
  MemoryProblem problem =
      problem_of({{.upper = 2, .size = 2, .alignment = 3}, {.upper = 2, .size = 2, .alignment = 3}});
  problem.capacity = 4;
  const MemoryOutcome outcome = plan_memory(problem, {});
  EXPECT_FALSE(outcome.fits);
  EXPECT_EQ(outcome.bound, 5);
  problem.capacity = 5;
  EXPECT_TRUE(plan_memory(problem, {}).fits);
}

TEST(PlanMemoryTest, FillsAMemoryToTheLastByte) {
  // A rectangle of time and memory, cut in two again and again: there is a plan without a hole.
  struct Piece {
    std::int64_t begin, end, bytes;
  };
  Rng rng(17);
  std::vector<Piece> pieces = {{0, 1000, 1000}};
  while (pieces.size() < 120) {
    Piece& piece = pieces[rng.below(pieces.size())];
    const bool by_time = rng.below(2) == 0;
    Piece rest = piece;
    if (std::min(piece.end - piece.begin, piece.bytes) < 4) continue;
    if (by_time) piece.end = rest.begin = rng.between(piece.begin + 1, piece.end - 1);
    else rest.bytes -= piece.bytes = rng.between(1, piece.bytes - 1);
    pieces.push_back(rest);
  }
  MemoryProblem problem{.capacity = 1000};
  for (const Piece& piece : pieces)
    problem.buffers.push_back({.name = "piece", .lower = piece.begin, .upper = piece.end, .size = piece.bytes});
  const MemoryOutcome outcome = plan_memory(problem, {.seconds = 1e9, .nodes = 200000});
  EXPECT_TRUE(outcome.fits);
  EXPECT_EQ(check(problem, outcome.plan), std::nullopt);
}

TEST(PlanMemoryTest, CountsInWhatDividesAllSizes) {
  MemoryProblem problem = problem_of({{.upper = 2, .size = 48, .alignment = 32}, {.upper = 2, .size = 16}});
  EXPECT_EQ(plan_memory(problem, {}).plan.height, 64);
  problem.capacity = 79;  // not a multiple of 16
  EXPECT_TRUE(plan_memory(problem, {}).fits);
  problem.capacity = 63;
  EXPECT_EQ(plan_memory(problem, {}).bound, 64);
}

TEST(PlanMemoryTest, TheSameNodesGiveTheSamePlan) {
  Rng rng(3);
  const MemoryProblem problem = random_problem(rng, 60, 1);
  const MemoryBudget budget{.seconds = 1e9, .nodes = 3000};
  const MemoryOutcome first = plan_memory(problem, budget), second = plan_memory(problem, budget);
  EXPECT_EQ(first.plan, second.plan);
  EXPECT_EQ(first.nodes, second.nodes);
  EXPECT_LE(first.nodes, budget.nodes + 1);
  EXPECT_EQ(check(problem, first.plan), std::nullopt);
}

TEST(PlanMemoryTest, PlansNothing) {
  EXPECT_EQ(plan_memory({}, {}).plan, MemoryPlan());
  const MemoryOutcome outcome = plan_memory(problem_of({{.upper = 1, .size = 0}}), {});
  EXPECT_EQ(outcome.plan.height, 0);
  EXPECT_TRUE(outcome.optimal());
}

}  // namespace
}  // namespace hone
