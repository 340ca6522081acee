#include "run/measure/interleave.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"

namespace hone {
namespace {

using Round = InterleavedSamples::Round;

constexpr double kShortestSample = 50e-6;  // shorter runs are timed several at a time
constexpr std::size_t kMostRepeats = 1000;
constexpr std::size_t kLeastWarmups = 3;
constexpr double kEnoughWarmup = 0.2;          // seconds after which fewer have to do
constexpr double kManyDisturbed = 0.1;         // share from which the wall clock is not trusted
constexpr std::size_t kEnoughCleanRounds = 5;  // a block, on average
constexpr double kMostPatience = 8;            // wall seconds over the seconds asked for
constexpr std::size_t kLeastBlocks = 2;        // fewer prove nothing

Sample time_runs(Subject& subject, std::size_t repeats) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < repeats; ++i) subject.run();
  return watch.stop().divided_by(static_cast<double>(repeats));
}

/// Own time that has passed, or the wall clock's where others hold the processor so long that patience ends.
double effective(double cpu_seconds, double wall_seconds) {
  return std::max(cpu_seconds, wall_seconds / kMostPatience);
}

/// Subjects of one block, warmed up, with how many runs make a sample of each.
class Block {
 public:
  Block(std::span<const SubjectMaker> makers, double warmup_seconds) {
    for (const SubjectMaker& make : makers) subjects_.push_back(make());
    for (const auto& subject : subjects_) repeats_.push_back(warm_up(*subject, warmup_seconds));
  }

  Round round(Rng& rng, double settle_seconds) const {
    std::vector<std::size_t> order(subjects_.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    Round samples(subjects_.size());
    for (const std::size_t i : order) {
      if (settle_seconds > 0) settle(*subjects_[i], settle_seconds);
      samples[i] = time_runs(*subjects_[i], repeats_[i]);
    }
    return samples;
  }

 private:
  static void settle(Subject& subject, double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    subject.run();
  }

  static std::size_t warm_up(Subject& subject, double seconds) {
    double used = 0, shortest = 1e9;
    for (std::size_t runs = 0; (runs < kLeastWarmups && used < kEnoughWarmup) || used < seconds; ++runs) {
      const Sample sample = time_runs(subject, 1);
      used += std::max(sample.wall_seconds, 1e-7);
      shortest = std::min(shortest, sample.wall_seconds);
    }
    return std::clamp<std::size_t>(static_cast<std::size_t>(kShortestSample / std::max(shortest, 1e-9)), 1,
                                   kMostRepeats);
  }

  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<std::size_t> repeats_;
};

bool is_clean(const Round& round) {
  return std::ranges::none_of(round, [](const Sample& sample) { return sample.disturbed; });
}

/// Whether disturbed rounds may be left out, so many others are there.
bool enough_clean(const InterleavedSamples& samples) {
  std::size_t clean = 0;
  for (const auto& block : samples.blocks) clean += static_cast<std::size_t>(std::ranges::count_if(block, is_clean));
  return clean >= kEnoughCleanRounds * samples.blocks.size();
}

/// Calls `visit(block, round)` for every round that counts.
template <class Visitor>
void for_each_counted(const InterleavedSamples& samples, Clock clock, Visitor&& visit) {
  const bool all = clock == Clock::cpu || !enough_clean(samples);
  for (std::size_t block = 0; block < samples.blocks.size(); ++block)
    for (const Round& round : samples.blocks[block])
      if (all || is_clean(round)) visit(block, round);
}

}  // namespace

std::vector<Sample> InterleavedSamples::of(std::size_t subject) const {
  std::vector<Sample> samples;
  for (const auto& block : blocks)
    for (const Round& round : block) samples.push_back(round[subject]);
  return samples;
}

double InterleavedSamples::disturbed_share() const {
  std::size_t disturbed = 0, all = 0;
  for (const auto& block : blocks) {
    for (const Round& round : block) {
      all += round.size();
      disturbed += static_cast<std::size_t>(std::ranges::count_if(round, &Sample::disturbed));
    }
  }
  return all > 0 ? static_cast<double>(disturbed) / static_cast<double>(all) : 0;
}

InterleavedSamples interleave(std::span<const SubjectMaker> makers, const InterleaveOptions& options) {
  HONE_CHECK(!makers.empty() && options.blocks > 0);
  Rng rng(options.seed);
  InterleavedSamples samples;
  const auto blocks = static_cast<double>(options.blocks);
  const double block_seconds = options.seconds / blocks * static_cast<double>(makers.size());
  const std::size_t least = std::max<std::size_t>(1, (options.least_rounds + options.blocks - 1) / options.blocks);
  const Stopwatch whole;
  std::optional<Block> block;
  bool fresh = true;
  for (std::size_t i = 0; i < options.blocks; ++i) {
    const auto is_late = [&] { return interrupted() || whole.stop().wall_seconds > options.wall_limit; };
    if (i > 0 && (interrupted() || (i >= kLeastBlocks && is_late()))) break;
    if (fresh) {
      const Stopwatch making;
      block.reset();  // before the next is made, so that memory holds one at a time
      block.emplace(makers, options.warmup_seconds / blocks);
      fresh = making.stop().wall_seconds < std::max(block_seconds, 0.05);
    }
    const Stopwatch watch;
    std::vector<Round> rounds;
    double used = 0;
    while (rounds.empty() || (!is_late() && (rounds.size() < least || used < block_seconds))) {
      rounds.push_back(block->round(rng, options.settle_seconds));
      const Sample passed = watch.stop();
      used = effective(passed.cpu_seconds, passed.wall_seconds);
    }
    samples.blocks.push_back(std::move(rounds));
  }
  return samples;
}

Clock clock_for(const InterleavedSamples& samples, std::size_t threads) {
  return threads == 1 && samples.disturbed_share() > kManyDisturbed ? Clock::cpu : Clock::wall;
}

std::vector<double> undisturbed_seconds(const std::vector<Sample>& samples, Clock clock) {
  const auto clean = static_cast<std::size_t>(std::ranges::count(samples, false, &Sample::disturbed));
  std::vector<double> seconds;
  for (const Sample& sample : samples)
    if (clock == Clock::cpu || !sample.disturbed || clean < kEnoughCleanRounds)
      seconds.push_back(seconds_of(sample, clock));
  if (clock == Clock::cpu || clean >= kEnoughCleanRounds) return seconds;
  std::ranges::sort(seconds);
  seconds.resize((seconds.size() + 3) / 4);  // whatever interferes only ever adds
  return seconds;
}

std::vector<Sample> evened(std::vector<Sample> samples, std::span<const double> slowness) {
  if (slowness.empty()) return samples;
  HONE_CHECK(slowness.size() == samples.size(), "one slowness a round");
  for (std::size_t round = 0; round < samples.size(); ++round)
    samples[round] = samples[round].divided_by(slowness[round]);
  return samples;
}

std::vector<double> counted_seconds(const InterleavedSamples& samples, std::size_t subject, Clock clock) {
  std::vector<double> seconds;
  for_each_counted(samples, clock,
                   [&](std::size_t, const Round& round) { seconds.push_back(seconds_of(round[subject], clock)); });
  return seconds;
}

RatioEstimate compare_subjects(const InterleavedSamples& samples, std::size_t baseline, std::size_t candidate,
                               Clock clock, std::uint64_t seed) {
  std::vector<std::vector<double>> log_ratios(samples.blocks.size());
  for_each_counted(samples, clock, [&](std::size_t block, const Round& round) {
    const double from = seconds_of(round[baseline], clock), to = seconds_of(round[candidate], clock);
    if (from > 0 && to > 0) log_ratios[block].push_back(std::log(to / from));
  });
  return estimate_ratio(log_ratios, seed);
}

}  // namespace hone
