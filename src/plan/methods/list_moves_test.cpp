#include "plan/methods/list_moves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/list_decoder.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

class ListMovesTest : public testing::Test {
 protected:
  ListMovesTest() {
    const Plan plan = decoder_.decode(moves_.first_tries().front(), undecided_plan(problem_));
    point_ = ListPoint::of(*SimulatedCost(problem_).trace(plan), plan, problem_);
  }

  std::size_t moved_by(const ListMoves::Move& move) {
    const Plan plan = decoder_.decode(moves_.draw(move, point_, rng_), undecided_plan(problem_));
    std::size_t moved = 0;
    for (std::size_t i = 0; i < plan.device_of.size(); ++i) moved += plan.device_of[i] != point_.device_of[i] ? 1 : 0;
    return moved;
  }

  Problem problem_{.workload = layered_training_workload(800, 5), .machine = load_machine("p100-4")};
  Durations durations_{problem_};
  ListDecoder decoder_{durations_};
  ListMoves moves_{durations_};
  Rng rng_{1};
  ListPoint point_;
};

TEST_F(ListMovesTest, APointIsWhatTheTimelineSays) {
  EXPECT_EQ(point_.starts.size(), problem_.workload.operation_count());
  EXPECT_EQ(*std::ranges::max_element(point_.finishes), point_.seconds);
  for (std::size_t i = 0; i < point_.starts.size(); ++i)
    for (const Durations::Read& read : durations_.reads(OperationId(i)))
      EXPECT_LE(point_.finishes[read.other.index()], point_.starts[i]);
}

TEST_F(ListMovesTest, ClustersAreSmall) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (int i = 0; i < 20; ++i) EXPECT_LE(moved_by({ListMoves::Kept::outside_clusters, direction}), 4 * 64U);
}

TEST_F(ListMovesTest, OutsideAWindowDevicesStay) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (int i = 0; i < 20; ++i) {
      const ListGuidance guidance = moves_.draw({ListMoves::Kept::outside_window, direction}, point_, rng_);
      const Plan plan = decoder_.decode(guidance, undecided_plan(problem_));
      for (std::size_t at = 0; at < plan.device_of.size(); ++at) {
        const auto bias = std::span(guidance.bias).subspan(at * 4, 4);
        const bool is_open = std::ranges::all_of(bias, [](float seconds) { return seconds < 1; });
        EXPECT_TRUE(is_open || plan.device_of[at] == point_.device_of[at]);
      }
    }
}

TEST_F(ListMovesTest, WaitsAreEndedByMovingAFewOperations) {
  std::size_t most = 0;
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (int i = 0; i < 20; ++i) {
      const std::size_t moved = moved_by({ListMoves::Kept::outside_waits, direction});
      EXPECT_LE(moved, 3 * 64U);
      most = std::max(most, moved);
    }
  EXPECT_GT(most, 0U);
}

TEST_F(ListMovesTest, APlanWithoutTimesIsLeftByMovingAnything) {
  point_.waits = {};
  EXPECT_EQ(moves_.draw({ListMoves::Kept::outside_waits, Direction::forward}, point_, rng_).bias.size(), 800U * 4);
}

TEST_F(ListMovesTest, WhatHelpedIsDrawnMoreOften) {
  const ListMoves::Move good{ListMoves::Kept::outside_window, Direction::backward};
  const auto count = [&] {
    int drawn = 0;
    for (int i = 0; i < 1000; ++i) {
      const ListMoves::Move move = moves_.draw_move(rng_);
      drawn += move.kept == good.kept && move.direction == good.direction ? 1 : 0;
    }
    return drawn;
  };
  const int before = count();
  for (int i = 0; i < 10; ++i) moves_.learn(good, true);
  EXPECT_NEAR(before, 100, 50);
  EXPECT_GT(count(), 2 * before);
}

TEST_F(ListMovesTest, ATurnedPassGoesTheOtherWayByTheTimesOfTheOneBefore) {
  ListGuidance guidance = moves_.first_tries().front();
  const Plan plan = decoder_.decode(guidance, undecided_plan(problem_));
  const ListGuidance turned = moves_.turned(guidance, decoder_.finishes(), plan.device_of, rng_);
  EXPECT_EQ(turned.direction, Direction::backward);
  EXPECT_TRUE(std::ranges::equal(turned.keys, decoder_.finishes()));
}

}  // namespace
}  // namespace hone
