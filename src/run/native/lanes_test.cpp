#include "run/native/lanes.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "base/random.h"

namespace hone::native {
namespace {

/// A step that does nothing but use arrays.
class UsingStep final : public Step {
 public:
  UsingStep(std::vector<std::size_t> read, std::size_t written) : written_(written) {
    for (const std::size_t array : read) reads_.emplace_back(array);
  }
  void run(const RunMemory&) const override {}
  std::vector<ArrayId> reads() const override { return reads_; }
  std::vector<ArrayId> writes() const override { return {ArrayId(written_)}; }

 private:
  std::vector<ArrayId> reads_;
  std::size_t written_;
};

/// Step i writes array i and reads some before it.
Program random_program(Rng& rng, std::size_t steps, std::uint32_t lanes) {
  Program program;
  for (std::size_t i = 0; i < steps; ++i) {
    program.arrays.push_back({.bytes = 64 * (1 + rng.below(4)), .constant = {}});
    std::vector<std::size_t> read;
    for (int n = 0; n < 2 && i > 0; ++n) read.push_back(i - 1 - rng.below(std::min<std::size_t>(i, 6)));
    program.steps.push_back(std::make_unique<UsingStep>(read, i));
    program.steps.back()->lane = static_cast<std::uint32_t>(rng.below(lanes));
  }
  return program;
}

bool ends_before(const Lanes& lanes, const Program& program, std::uint32_t first, std::uint32_t second) {
  const std::uint32_t lane = program.steps[first]->lane;
  const auto& own = lanes.steps()[lane];
  const auto number = static_cast<std::uint32_t>(std::ranges::find(own, first) - own.begin());
  return lanes.ended_before(second)[lane] > number;
}

TEST(LanesTest, StepsWaitForWhatTheyReadOnOtherLanes) {
  Program program;
  for (int i = 0; i < 3; ++i) program.arrays.push_back({.bytes = 64, .constant = {}});
  program.steps.push_back(std::make_unique<UsingStep>(std::vector<std::size_t>{}, 0));
  program.steps.push_back(std::make_unique<UsingStep>(std::vector<std::size_t>{}, 1));
  program.steps.push_back(std::make_unique<UsingStep>(std::vector<std::size_t>{0}, 2));
  program.steps[1]->lane = program.steps[2]->lane = 1;
  const Lanes lanes(program);
  EXPECT_TRUE(ends_before(lanes, program, 0, 2));
  EXPECT_TRUE(ends_before(lanes, program, 1, 2));
  EXPECT_FALSE(ends_before(lanes, program, 0, 1));
  EXPECT_EQ(lanes.first_unfinished(), (std::vector<std::int64_t>{0, 0, 2}));
}

TEST(LanesTest, ArraysShareBytesOnlyIfAllUsesOfOneEndBeforeTheOtherIsWritten) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    Program program = random_program(rng, 40, 1 + static_cast<std::uint32_t>(seed % 4));
    lay_out(program);
    const Lanes lanes(program);
    for (std::uint32_t a = 0; a < program.arrays.size(); ++a)
      for (std::uint32_t b = a + 1; b < program.arrays.size(); ++b) {
        const Array &first = program.arrays[a], &second = program.arrays[b];
        const bool apart = first.offset + static_cast<std::int64_t>(first.bytes) <= second.offset ||
                           second.offset + static_cast<std::int64_t>(second.bytes) <= first.offset;
        if (apart) continue;
        for (std::uint32_t user = 0; user < program.steps.size(); ++user) {
          const auto read = program.steps[user]->reads();
          const bool uses = user == a || std::ranges::count(read, ArrayId(a)) > 0;
          EXPECT_TRUE(!uses || ends_before(lanes, program, user, b)) << "seed " << seed << ": " << a << " and " << b;
        }
      }
  }
}

TEST(LanesTest, RunsStepsAfterThoseTheyWaitFor) {
  Rng rng(7);
  const Program program = random_program(rng, 200, 3);
  const Lanes lanes(program);
  LaneRunner runner(program);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::atomic<int>> ended(program.steps.size());
    std::atomic<int> early = 0;
    runner.run([&](const Step& step, std::uint32_t) {
      for (const ArrayId read : step.reads()) early += ended[read.index()] == 0 ? 1 : 0;
      ended[step.writes()[0].index()] = 1;
    });
    EXPECT_EQ(early, 0);
    for (const auto& each : ended) EXPECT_EQ(each, 1);
  }
}

TEST(LanesTest, WhatAStepThrowsEndsTheRunAndReachesTheCaller) {
  Rng rng(8);
  const Program program = random_program(rng, 100, 2);
  LaneRunner runner(program);
  EXPECT_THROW(runner.run([&](const Step& step, std::uint32_t) {
    if (step.writes()[0] == ArrayId(50)) fail("an index lies outside");
  }),
               InputError);
  std::atomic<int> ran = 0;
  runner.run([&](const Step&, std::uint32_t) { ++ran; });
  EXPECT_EQ(ran, 100);
}

}  // namespace
}  // namespace hone::native
