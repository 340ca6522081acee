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
#include "store/records/circumstances.h"
#include "store/records/gain_records.h"
#include "zoo/registry.h"

// What families of rules and options of the runtime bring, each alone and a few one on top of another, measured on each
// runtime: what `hone train hone-prices` learns from. Models are networks whose blocks are drawn (`zoo:drawn-net`),
// other ones for every seed. With --models DIR they are files, and beside the families stands what the prices that are
// built in would do by themselves: how much of the best gain measured that has is their share. With --db what is
// measured is kept, and a run that was killed goes on.

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

/// What prices want of a model, and what rewrites of it were measured to bring.
struct GainSampling {
  Model model;
  std::vector<std::string> wanted;
  double wanting_seconds = 0;
  MeasuredGains gains;
};

GainSampling sample_gains(const std::string& name, const std::shared_ptr<const Runtime>& runtime,
                          const BenchOptions& options) {
  GainSampling sampling{.model = cleaned_model(name), .wanted = {}, .gains = {}};
  const Proposal start{.model = std::make_shared<const Model>(sampling.model), .options = {}, .steps = {}};
  const std::optional<GraphPrices> prices = is_zoo_spec(name) ? std::nullopt : GraphPrices::builtin(runtime->name());
  const Timer timer;
  std::optional<Proposal> wanted;
  if (prices) {
    const TunedPrices untuned(*prices, sampling.model);
    PriceForecast forecast(untuned, with_types);
    wanted = improved_by(forecast, start, *runtime, kWantingSeconds);
  }
  sampling.wanting_seconds = timer.seconds();
  if (wanted) sampling.wanted = steps_of(*wanted);
  const std::vector<Proposal> rewrites =
      rewrite_samples(start, wanted, *runtime, Rng(options.seed).split(hash_text(name)));
  const TimedSamples timed = time_samples(
      start, rewrites, sample_measuring(runtime, options.quick ? kGainSeconds / 4 : kGainSeconds, options.seed));
  sampling.gains = {.model = name, .runtime = runtime->name(), .seconds = timed.seconds, .gains = {}};
  for (const RacedProposal& each : timed.rewrites)
    sampling.gains.gains.push_back(
        {.steps = steps_of(each.proposal), .log_ratio = std::log(each.ratio.ratio), .error = log_error(each.ratio)});
  return sampling;
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

/// How much of the best gains of models, where these are proved, what was wanted without measuring has.
class WantedShare {
 public:
  void add(const MeasuredGains& gains, const std::vector<std::string>& wanted) {
    double best = 0, own = 0;
    bool is_proved = false;
    for (const MeasuredGain& gain : gains.gains) {
      if (gain.steps == wanted) own = -gain.log_ratio;
      if (-gain.log_ratio <= best) continue;
      best = -gain.log_ratio;
      is_proved = best - 2 * gain.error > kProved;
    }
    ++models_;
    slower_ += own < -kProved ? 1 : 0;
    if (!is_proved) return;
    best_ += best;
    own_ += own;
  }

  Json json() const {
    return {{"models", models_}, {"zero_shot_share", best_ > 0 ? own_ / best_ : 1}, {"slower", slower_}};
  }

 private:
  std::size_t models_ = 0, slower_ = 0;
  double best_ = 0, own_ = 0;
};

/// Measures one model, or finds what was measured of it before; adds its rows.
void report_gains(const std::string& name, const std::shared_ptr<const Runtime>& runtime, const BenchOptions& options,
                  std::optional<Store>& store, BenchReport& report, WantedShare& share) {
  if (store && options.models.empty())
    for (const MeasuredGains& known : stored_gains(*store))
      if (known.model == name && known.runtime == runtime->name()) return add_gain_rows(known, report);
  const GainSampling sampling = sample_gains(name, runtime, options);
  if (store && options.models.empty()) record_gains(*store, graph_record(name, sampling.model), sampling.gains);
  add_gain_rows(sampling.gains, report);
  if (options.models.empty()) return;
  share.add(sampling.gains, sampling.wanted);
  const std::string title = std::filesystem::path(name).stem().string();
  note("{}, {}: prices want {} ({:.2f} s)", runtime->name(), title,
       sampling.wanted.empty() ? "nothing" : fmt::format("{}", fmt::join(sampling.wanted, " + ")),
       sampling.wanting_seconds);
}

BenchReport run_rewrite_gain(const BenchOptions& options) {
  std::vector<std::shared_ptr<const Runtime>> runtimes = measured_runtimes();
  if (!options.models.empty())
    std::erase_if(runtimes, [](const auto& runtime) { return !GraphPrices::builtin(runtime->name()); });
  std::optional<Store> store;
  if (!options.store.empty()) store.emplace(options.store);
  BenchReport report;
  std::map<std::string, WantedShare> shares;
  for (const std::string& name : nets_to_measure(options))
    for (const auto& runtime : runtimes) try {
        if (fmt::format("{} {}", runtime->name(), name).find(options.filter) == std::string::npos) continue;
        report_gains(name, runtime, options, store, report, shares[runtime->name()]);
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
