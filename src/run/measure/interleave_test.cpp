#include "run/measure/interleave.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

/// Counts its runs and does a little arithmetic.
class Counted : public Subject {
 public:
  explicit Counted(int& runs) : runs_(runs) {}
  void run() override {
    ++runs_;
    for (int i = 0; i < 2000; ++i) sink_ = sink_ * 1.0000001 + 1e-9;
  }

 private:
  int& runs_;
  volatile double sink_ = 1;
};

Sample sample(double wall, double cpu, bool disturbed = false) { return {wall, cpu, disturbed}; }

TEST(InterleaveTest, EveryRoundTimesEverySubjectOnceAndBlocksAreFresh) {
  int made = 0, first = 0, second = 0;
  const SubjectMaker makers[] = {[&] { return ++made, std::make_unique<Counted>(first); },
                                 [&] { return ++made, std::make_unique<Counted>(second); }};
  const InterleavedSamples samples = interleave(makers, {.warmup_seconds = 0, .seconds = 0.01, .blocks = 4});
  EXPECT_EQ(made, 8);
  ASSERT_EQ(samples.blocks.size(), 4u);
  for (const auto& block : samples.blocks) {
    EXPECT_GE(block.size(), 3u);
    for (const auto& round : block) {
      ASSERT_EQ(round.size(), 2u);
      EXPECT_GT(round[0].wall_seconds, 0);
    }
  }
  EXPECT_GT(first, 0);
  EXPECT_GT(second, 0);
}

TEST(InterleaveTest, WhereTimeIsUpTwoBlocksOfOneRoundAreLeft) {
  int runs = 0;
  const SubjectMaker makers[] = {[&] { return std::make_unique<Counted>(runs); }};
  const InterleavedSamples samples = interleave(makers, {.seconds = 100, .blocks = 4, .wall_limit = 0});
  ASSERT_EQ(samples.blocks.size(), 2u);
  for (const auto& block : samples.blocks) EXPECT_EQ(block.size(), 1u);
}

TEST(InterleaveTest, InterruptedWorkOfOneThreadIsJudgedByProcessorTime) {
  InterleavedSamples samples;
  samples.blocks = {{{sample(9, 1, true), sample(2, 2)}, {sample(1, 1), sample(8, 2, true)}},
                    {{sample(1, 1), sample(2, 2)}, {sample(7, 1, true), sample(2, 2)}}};
  EXPECT_EQ(clock_for(samples, 1), Clock::cpu);
  EXPECT_EQ(clock_for(samples, 2), Clock::wall);
  EXPECT_NEAR(compare_subjects(samples, 0, 1, Clock::cpu).ratio, 2, 1e-9);
}

TEST(InterleaveTest, DisturbedRoundsAreLeftOutWhenThereAreEnoughOthers) {
  InterleavedSamples samples;
  for (int block = 0; block < 2; ++block) {
    samples.blocks.emplace_back(8, InterleavedSamples::Round{sample(1, 1), sample(2, 2)});
    samples.blocks.back().push_back({sample(50, 1, true), sample(2, 2)});
  }
  EXPECT_EQ(counted_seconds(samples, 0, Clock::wall), std::vector<double>(16, 1.0));
  EXPECT_EQ(counted_seconds(samples, 0, Clock::cpu).size(), 18u);
  for (auto& block : samples.blocks) block.erase(block.begin(), block.begin() + 6);
  EXPECT_EQ(counted_seconds(samples, 0, Clock::wall).size(), 6u);
}

TEST(InterleaveTest, FewCleanSamplesLeaveTheShortest) {
  std::vector<Sample> samples;
  for (int i = 0; i < 8; ++i) samples.push_back(sample(9 - i, 1, true));
  EXPECT_EQ(undisturbed_seconds(samples, Clock::wall), (std::vector<double>{2, 3}));
  EXPECT_EQ(undisturbed_seconds(samples, Clock::cpu).size(), 8u);
  for (int i = 0; i < 5; ++i) samples.push_back(sample(4, 1));
  EXPECT_EQ(undisturbed_seconds(samples, Clock::wall), std::vector<double>(5, 4.0));
}

TEST(EvenedTest, ASlowRoundCountsAsAnyOther) {
  const std::vector<Sample> samples{{.wall_seconds = 2, .cpu_seconds = 1}, {.wall_seconds = 6, .cpu_seconds = 3}};
  const std::vector<Sample> even = evened(samples, std::vector<double>{1, 3});
  EXPECT_EQ(even[1].wall_seconds, 2);
  EXPECT_EQ(even[1].cpu_seconds, 1);
  EXPECT_EQ(evened(samples, {})[1].wall_seconds, 6);
}

}  // namespace
}  // namespace hone
