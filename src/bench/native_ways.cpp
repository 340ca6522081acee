#include "bench/native_ways.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/timer.h"
#include "run/measure/pinning.h"
#include "run/measure/statistics.h"

namespace hone {
namespace {

constexpr double kSampleSeconds = 0.003;    // at least, in one go
constexpr double kWaySettleSeconds = 1e-6;  // for a run that is not timed: it finds the caches full of other models
constexpr std::size_t kMostRuns = 20;

struct WaySubject : Subject {
  WaySubject(std::unique_ptr<PreparedModel> made, const std::vector<Datum>& inputs, std::size_t runs)
      : prepared(std::move(made)), times(runs) {
    prepared->set_inputs(inputs);
  }
  void run() override {
    for (std::size_t i = 0; i < times; ++i) prepared->run();
  }
  std::unique_ptr<PreparedModel> prepared;
  std::size_t times;
};

/// How often to run a model for one sample.
std::size_t runs_for_sample(WaySubject subject) {
  constexpr int kTries = 5;
  double shortest = kSampleSeconds;
  for (int i = 0; i < kTries; ++i) {
    const Timer timer;
    subject.run();
    shortest = std::min(shortest, timer.seconds());
  }
  return std::clamp<std::size_t>(static_cast<std::size_t>(kSampleSeconds / std::max(shortest, 1e-9)), 1, kMostRuns);
}

nlohmann::json time_in_child(const ModelOnTrial& trial, std::span<const NativeWay> ways, double seconds) {
  std::size_t threads = 1;
  for (const NativeWay& way : ways) threads = std::max(threads, way.threads);
  pin_process(threads);
  std::vector<std::unique_ptr<RuntimeHost>> hosts(ways.size());
  for (std::size_t i = ways.size(); i-- > 0;)  // the first is started last: what hosts share is as it wants it
    hosts[i] = RuntimeKind::named("native").make(ways[i].parameters)->start(ways[i].threads);
  const auto prepared = [&](std::size_t i) { return hosts[i]->prepare({trial.model, {}}, ways[i].options); };
  const std::size_t runs = runs_for_sample({prepared(0), trial.inputs, 1});
  std::vector<SubjectMaker> makers;
  for (std::size_t i = 0; i < ways.size(); ++i)
    makers.push_back([&, i] { return std::make_unique<WaySubject>(prepared(i), trial.inputs, runs); });
  const InterleavedSamples samples = interleave(makers, {.warmup_seconds = 0.05,
                                                         .seconds = 2 * seconds,
                                                         .blocks = 4,
                                                         .seed = trial.seed,
                                                         .settle_seconds = kWaySettleSeconds});
  const Clock clock = threads > 1 ? Clock::wall : Clock::cpu;
  nlohmann::json ratios = nlohmann::json::array();
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const RatioEstimate found = compare_subjects(samples, 0, i, clock, trial.seed);
    ratios.push_back({found.ratio, found.low, found.high});
  }
  return {{"first", median(counted_seconds(samples, 0, clock)) / static_cast<double>(runs)}, {"ratios", ratios}};
}

/// Places in ascending order; of equal numbers the mean of theirs.
std::vector<double> ranks_of(std::span<const double> numbers) {
  std::vector<double> ranks;
  for (const double number : numbers) {
    const auto less = std::ranges::count_if(numbers, [&](double other) { return other < number; });
    const auto equal = std::ranges::count(numbers, number);
    ranks.push_back(static_cast<double>(less) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

}  // namespace

WaysTimed time_ways(const ModelOnTrial& trial, std::span<const NativeWay> ways, double seconds) {
  const auto found = nlohmann::json::parse(text_of_child([&] { return time_in_child(trial, ways, seconds).dump(); }));
  WaysTimed timed{.first_seconds = found.at("first")};
  for (const auto& each : found.at("ratios"))
    timed.over_first.push_back({.ratio = each[0], .low = each[1], .high = each[2]});
  return timed;
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> left = ranks_of(a), right = ranks_of(b);
  const double middle = (static_cast<double>(left.size()) - 1) / 2;
  double both = 0, of_left = 0, of_right = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    both += (left[i] - middle) * (right[i] - middle);
    of_left += (left[i] - middle) * (left[i] - middle);
    of_right += (right[i] - middle) * (right[i] - middle);
  }
  return of_left > 0 && of_right > 0 ? both / std::sqrt(of_left * of_right) : 0;
}

}  // namespace hone
