#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/timer.h"
#include "base/verbosity.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/rewrite_samples.h"
#include "deliver/price_forecast.h"
#include "formats/onnx/read.h"
#include "graph/ir/structural_hash.h"
#include "run/profile/model_profile.h"
#include "store/records/circumstances.h"
#include "store/records/gain_records.h"
#include "store/records/price_lesson_records.h"

// What families of rules and options of the runtime bring, each alone and a few one on top of another, measured on each
// runtime: what `hone train hone-prices` learns from. Models are networks whose blocks are drawn (`zoo:drawn-net`),
// other ones for every seed. With --db what is measured is kept, and a run that was killed goes on.
//
// With --models DIR they are files, and beside the families stands what the prices that are built in would do by
// themselves: how much of the best gain measured that has is their share. With --db what is measured of each file is
// what it teaches the prices of others, and the share of prices that all other files have taught stands beside that of
// those that nobody has. A second run knows the lessons of all.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTrunks[] = {"", ",trunk=steps", ",trunk=layers", ",trunk=pixels", ",trunk=layers"};
constexpr std::size_t kDrawnNets = 20;
constexpr double kGainSeconds = 0.3;     // of each rewrite
constexpr double kWantingSeconds = 0.8;  // for prices to say what they want; a move that was begun is made
constexpr double kProved = 0.01;         // a gain that counts

/// A network of cells, its sizes drawn too.
std::string drawn_recurrent_net(std::uint64_t number) {
  Rng rng(number);
  const auto drawn_of = [&](std::initializer_list<int> values) { return values.begin()[rng.below(values.size())]; };
  return fmt::format("zoo:drawn-rnn:cells={},layers={},length={},hidden={},features={},classes={}", number,
                     drawn_of({1, 2, 3}), drawn_of({4, 8, 12, 16}), drawn_of({64, 128, 256, 512, 1024}),
                     drawn_of({64, 256, 512, 1024}), drawn_of({10, 1000, 4000}));
}

std::vector<std::string> nets_to_measure(const BenchOptions& options) {
  std::vector<std::string> names;
  if (!options.models.empty()) {
    BenchOptions all_files = options;
    all_files.filter.clear();
    for (const auto& file : model_files(all_files)) names.push_back(file.string());
    return names;
  }
  const std::size_t count = options.quick ? 2 : kDrawnNets;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = 1000 * (options.seed + 1) + i;
    const std::size_t kind = i % (std::size(kTrunks) + 1);
    names.push_back(kind < std::size(kTrunks) ? fmt::format("zoo:drawn-net:blocks={}{}", number, kTrunks[kind])
                                              : drawn_recurrent_net(number));
  }
  return names;
}

Proposal start_of(const std::string& name) {
  return {.model = std::make_shared<const Model>(cleaned_model(name)), .options = {}, .steps = {}};
}

/// Times what is wanted, which may be nothing, and everything else that could be.
TimedSamples sample_gains(const std::string& name, const Proposal& start,
                          std::span<const std::optional<Proposal>> wanted,
                          const std::shared_ptr<const Runtime>& runtime, const BenchOptions& options) {
  const std::vector<Proposal> rewrites =
      rewrite_samples(start, wanted, *runtime, Rng(options.seed).split(hash_text(name)));
  return time_samples(start, rewrites,
                      sample_measuring(runtime, options.quick ? kGainSeconds / 4 : kGainSeconds, options.seed));
}

MeasuredGains gains_of(const std::string& name, const Runtime& runtime, const TimedSamples& timed) {
  MeasuredGains gains{.model = name, .runtime = runtime.name(), .seconds = timed.seconds, .gains = {}};
  for (const RacedProposal& each : timed.rewrites)
    gains.gains.push_back(
        {.steps = steps_of(each.proposal), .log_ratio = std::log(each.ratio.ratio), .error = log_error(each.ratio)});
  return gains;
}

void add_gain_rows(const MeasuredGains& gains, BenchReport& report) {
  for (const MeasuredGain& gain : gains.gains)
    report.rows.push_back({{"runtime", gains.runtime},
                           {"model", gains.model},
                           {"original_ms", 1e3 * gains.seconds},
                           {"steps", fmt::format("{}", fmt::join(gain.steps, " + "))},
                           {"speedup", std::exp(-gain.log_ratio)},
                           {"error_percent", 100 * gain.error}});
}

/// What prices want of a model without measuring it, and whose prices these are.
struct Wish {
  std::string whose;
  std::optional<Proposal> proposal;
  double seconds = 0;  // that it took to say so
};

Wish wish_of(const std::string& whose, const TunedPrices& prices, const Proposal& start, const Runtime& runtime) {
  const Timer timer;
  PriceForecast forecast(prices, with_types);
  std::optional<Proposal> wanted = improved_by(forecast, start, runtime, kWantingSeconds);
  return {.whose = whose, .proposal = std::move(wanted), .seconds = timer.seconds()};
}

/// As a logarithm. Another wish may have come to the same by other steps.
double gain_of(const Wish& wish, const TimedSamples& timed) {
  if (!wish.proposal) return 0;
  const std::uint64_t hash = structural_hash(wish.proposal->model->graph);
  for (const RacedProposal& each : timed.rewrites)
    if (each.proposal.options == wish.proposal->options && structural_hash(each.proposal.model->graph) == hash)
      return -std::log(each.ratio.ratio);
  return 0;
}

/// How much of the best gains of models, where these are proved, what was wanted without measuring has.
class WishShares {
 public:
  void add(const TimedSamples& timed, std::span<const Wish> wishes) {
    double best = 0;
    bool is_proved = false;
    for (const RacedProposal& each : timed.rewrites) {
      const double gain = -std::log(each.ratio.ratio);
      if (gain <= best) continue;
      best = gain;
      is_proved = best - 2 * log_error(each.ratio) > kProved;
    }
    ++models_;
    if (is_proved) best_ += best;
    for (const Wish& wish : wishes) {
      const double own = gain_of(wish, timed);
      Sum& sum = sums_[wish.whose];
      sum.slower += own < -kProved ? 1 : 0;
      if (is_proved) sum.gain += own;
    }
  }

  Json json() const {
    Json object = {{"models", models_}};
    for (const auto& [whose, sum] : sums_) {
      object[whose + "_share"] = best_ > 0 ? sum.gain / best_ : 1;
      object[whose + "_slower"] = sum.slower;
    }
    return object;
  }

 private:
  struct Sum {
    double gain = 0;
    std::size_t slower = 0;
  };

  std::size_t models_ = 0;
  double best_ = 0;
  std::map<std::string, Sum> sums_;
};

void tell_wishes(const std::string& name, const Runtime& runtime, std::span<const Wish> wishes,
                 const TimedSamples& timed) {
  for (const Wish& wish : wishes)
    note("{}, {}: {} prices want {} ({:.3f} times as fast; {:.2f} s)", runtime.name(),
         std::filesystem::path(name).stem().string(), wish.whose,
         wish.proposal ? fmt::format("{}", fmt::join(steps_of(*wish.proposal), " + ")) : "nothing",
         std::exp(gain_of(wish, timed)), wish.seconds);
}

/// Measures a file. Its own lesson, from an earlier run, takes no part in what is wanted of it.
void report_file(const std::string& name, const std::shared_ptr<const Runtime>& runtime, const BenchOptions& options,
                 std::optional<Store>& store, BenchReport& report, WishShares& shares) {
  const Proposal start = start_of(name);
  const GraphPrices prices = *GraphPrices::builtin(runtime->name());
  TunedPrices tuned(prices, *start.model);
  std::vector<Wish> wishes = {wish_of("zero_shot", tuned, start, *runtime)};
  const ProfileContext context = context_of({.runtime = runtime});
  const GraphRecord graph = graph_record(name, onnx::read(name));  // as `hone optimize` knows it
  if (store) {
    for (const PriceLesson& lesson : stored_price_lessons(*store, context, graph.id)) tuned.learn(lesson);
    wishes.push_back(wish_of("corrected", tuned, start, *runtime));
  }
  std::vector<std::optional<Proposal>> wanted;
  for (const Wish& wish : wishes) wanted.push_back(wish.proposal);
  const TimedSamples timed = sample_gains(name, start, wanted, runtime, options);
  if (store)
    record_price_lesson(*store, graph, context,
                        {.prices = prices.digest(), .samples = price_samples(timed.rewrites, tuned, with_types)});
  add_gain_rows(gains_of(name, *runtime, timed), report);
  shares.add(timed, wishes);
  tell_wishes(name, *runtime, wishes, timed);
}

/// Measures a network that is drawn, or finds what was measured of it before.
void report_net(const std::string& name, const std::shared_ptr<const Runtime>& runtime, const BenchOptions& options,
                std::optional<Store>& store, BenchReport& report) {
  if (store)
    for (const MeasuredGains& known : stored_gains(*store))
      if (known.model == name && known.runtime == runtime->name()) return add_gain_rows(known, report);
  const Proposal start = start_of(name);
  const MeasuredGains gains = gains_of(name, *runtime, sample_gains(name, start, {}, runtime, options));
  if (store) record_gains(*store, graph_record(name, *start.model), gains);
  add_gain_rows(gains, report);
}

BenchReport run_rewrite_gain(const BenchOptions& options) {
  std::vector<std::shared_ptr<const Runtime>> runtimes = measured_runtimes();
  if (!options.models.empty())
    std::erase_if(runtimes, [](const auto& runtime) { return !GraphPrices::builtin(runtime->name()); });
  std::optional<Store> store;
  if (!options.store.empty()) store.emplace(options.store);
  BenchReport report;
  std::map<std::string, WishShares> shares;
  for (const std::string& name : nets_to_measure(options))
    for (const auto& runtime : runtimes) try {
        if (fmt::format("{} {}", runtime->name(), name).find(options.filter) == std::string::npos) continue;
        if (options.models.empty()) report_net(name, runtime, options, store, report);
        else report_file(name, runtime, options, store, report, shares[runtime->name()]);
      } catch (const InputError& error) {
        note("{}, {}: left out: {}", runtime->name(), name, error.what());
      }
  report.summary["rewrites"] = report.rows.size();
  if (!options.models.empty())
    for (const auto& [runtime, share] : shares) report.summary[runtime] = share.json();
  return report;
}

const BenchRun rewrite_gain("rewrite-gain", run_rewrite_gain);

}  // namespace
}  // namespace hone
