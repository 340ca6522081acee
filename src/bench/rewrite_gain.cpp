#include <algorithm>
#include <cmath>
#include <map>

#include "base/child_process.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/timer.h"
#include "base/verbosity.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/native_ways.h"
#include "deliver/climb.h"
#include "deliver/price_forecast.h"
#include "deliver/rule_moves.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean.h"
#include "graph/ir/structural_hash.h"
#include "graph/ops/infer.h"
#include "run/measure/measurement.h"
#include "store/records/circumstances.h"
#include "store/records/gain_records.h"
#include "zoo/registry.h"

// What families of rules bring, each alone and a few one on top of another, measured on each runtime: what
// `hone train hone-prices` learns from. Models are networks whose blocks are drawn (`zoo:drawn-net`), other ones for
// every seed. With --models DIR they are files, and beside the families stands what the prices that are built in would
// do by themselves: how much of the best gain measured that has is their share. With --db what is measured is kept, and
// a run that was killed goes on.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTrunks[] = {"", ",trunk=steps", "", ",trunk=pixels"};
constexpr std::size_t kDrawnNets = 20, kPairs = 4;
constexpr std::size_t kGainsAtOnce = 5;  // rewrites beside the original
constexpr double kGainSeconds = 0.3;     // of each
constexpr double kWantingSeconds = 1;    // for prices to say what they want
constexpr double kProved = 0.01;         // a gain that counts

std::vector<std::string> nets_to_measure(const BenchOptions& options) {
  std::vector<std::string> names;
  if (!options.models.empty()) {
    for (const auto& file : model_files(options)) names.push_back(file.string());
    return names;
  }
  const std::size_t count = options.quick ? 2 : kDrawnNets;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(
        fmt::format("drawn-net:blocks={}{}", 1000 * (options.seed + 1) + i, kTrunks[i % std::size(kTrunks)]));
  std::erase_if(names, [&](const std::string& name) { return name.find(options.filter) == name.npos; });
  return names;
}

Model cleaned_net(const std::string& name) {
  Model model = is_zoo_spec(name) ? build_zoo(name) : onnx::read(name);
  infer_types(model);
  clean(model);
  infer_types(model);
  return model;
}

/// A rewritten model, and what made it.
struct GainCandidate {
  std::vector<std::string> families;
  Proposal proposal;
};

std::vector<std::string> families_of(const Proposal& proposal) {
  std::vector<std::string> names;
  for (const Step& step : proposal.steps) names.push_back(step.name.substr(step.name.find(' ') + 1));
  return names;
}

/// What is wanted, every family that changes something, and pairs of them drawn at random; each graph once.
std::vector<GainCandidate> gain_candidates(const Proposal& start, const std::optional<Proposal>& wanted, Rng rng) {
  DecisionLog log;
  std::vector<GainCandidate> all;
  std::vector<std::uint64_t> seen = {structural_hash(start.model->graph)};
  const auto add = [&](const std::optional<Proposal>& made) {
    if (!made) return;
    const std::uint64_t hash = structural_hash(made->model->graph);
    if (std::ranges::find(seen, hash) != seen.end()) return;
    seen.push_back(hash);
    all.push_back({families_of(*made), *made});
  };
  add(wanted);
  const std::vector<Move> moves = rule_moves({});
  for (const Move& move : moves) add(made(move, start, log));
  const std::size_t singles = all.size();
  for (std::size_t i = 0; i < kPairs && singles > 1; ++i) {
    const Proposal first = all[rng.below(singles)].proposal;
    add(made(moves[rng.below(moves.size())], first, log));
  }
  return all;
}

class GainSampling {
 public:
  GainSampling(const std::string& name, std::shared_ptr<const Runtime> runtime, const BenchOptions& options)
      : name_(name), options_(options), model_(cleaned_net(name)) {
    measuring_.runtime = std::move(runtime);
    measuring_.interleave = {.warmup_seconds = kGainSeconds / 4,
                             .seconds = options.quick ? kGainSeconds / 4 : kGainSeconds,
                             .least_rounds = 10,
                             .blocks = 4,
                             .seed = options.seed};
  }

  const Model& model() const { return model_; }
  /// What prices want, and how long they took to say so.
  std::vector<std::string> wanted() const { return wanted_ ? families_of(*wanted_) : std::vector<std::string>(); }
  double wanting_seconds() const { return wanting_seconds_; }

  MeasuredGains run() {
    const Proposal start{.model = std::make_shared<const Model>(model_), .options = {}, .steps = {}};
    const std::optional<GraphPrices> prices =
        is_zoo_spec(name_) ? std::nullopt : GraphPrices::builtin(measuring_.runtime->name());
    const Timer timer;
    if (prices) wanted_ = rewritten_by_prices(start, *prices, kWantingSeconds);
    wanting_seconds_ = timer.seconds();
    const std::vector<GainCandidate> candidates =
        gain_candidates(start, wanted_, Rng(options_.seed).split(hash_text(name_)));
    MeasuredGains found{.model = name_, .runtime = measuring_.runtime->name(), .seconds = 0, .gains = {}};
    for (std::size_t at = 0; at < candidates.size(); at += kGainsAtOnce) {
      show_progress(fmt::format("{}: {} of {} rewrites", name_, at, candidates.size()));
      measure(start, std::span(candidates).subspan(at, std::min(kGainsAtOnce, candidates.size() - at)), found);
    }
    return found;
  }

 private:
  void measure(const Proposal& start, std::span<const GainCandidate> group, MeasuredGains& found) {
    std::vector<Candidate> models = {written(*start.model)};
    for (const GainCandidate& each : group) models.push_back(written(*each.proposal.model));
    const Measurement measured = measure_models(models, measuring_);
    if (const std::string& failure = measured.models[0].failure; !failure.empty())
      fail("{}: does not run: {}", name_, failure);
    found.seconds = measured.models[0].latency.median;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::optional<RatioEstimate>& ratio = measured.models[i + 1].ratio;
      if (!ratio) continue;
      found.gains.push_back({.families = group[i].families,
                             .log_ratio = std::log(ratio->ratio),
                             .error = std::log(ratio->high / ratio->low) / 4});
    }
  }

  Candidate written(const Model& model) {
    const std::filesystem::path file = folder_.path() / fmt::format("{}.onnx", files_++);
    onnx::write(model, file);
    Candidate made{.name = file.stem().string(), .model = model, .file = file};
    infer_types(made.model);
    return made;
  }

  const std::string& name_;
  const BenchOptions& options_;
  Model model_;
  MeasureOptions measuring_;
  std::optional<Proposal> wanted_;
  double wanting_seconds_ = 0;
  TemporaryFolder folder_;
  std::size_t files_ = 0;
};

void add_gain_rows(const MeasuredGains& gains, BenchReport& report) {
  for (const MeasuredGain& gain : gains.gains)
    report.rows.push_back({{"runtime", gains.runtime},
                           {"model", gains.model},
                           {"original_ms", 1e3 * gains.seconds},
                           {"rules", fmt::format("{}", fmt::join(gain.families, " + "))},
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
      if (gain.families == wanted) own = -gain.log_ratio;
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
  GainSampling sampling(name, runtime, options);
  const MeasuredGains gains = sampling.run();
  if (store && options.models.empty()) record_gains(*store, graph_record(name, sampling.model()), gains);
  add_gain_rows(gains, report);
  if (options.models.empty()) return;
  share.add(gains, sampling.wanted());
  const std::string title = std::filesystem::path(name).stem().string();
  note("{}, {}: prices want {} ({:.2f} s)", runtime->name(), title,
       sampling.wanted().empty() ? "nothing" : fmt::format("{}", fmt::join(sampling.wanted(), " + ")),
       sampling.wanting_seconds());
}

BenchReport run_rewrite_gain(const BenchOptions& options) {
  std::vector<std::shared_ptr<const Runtime>> runtimes;
  if (usual_runtime()->available()) runtimes.push_back(usual_runtime());
  if (RuntimeKind::stand_in() != nullptr) runtimes.push_back(RuntimeKind::stand_in()->make(""));
  if (!options.models.empty())
    std::erase_if(runtimes, [](const auto& runtime) { return !GraphPrices::builtin(runtime->name()); });
  std::optional<Store> store;
  if (!options.store.empty()) store.emplace(options.store);
  BenchReport report;
  std::map<std::string, WantedShare> shares;
  for (const std::string& name : nets_to_measure(options))
    for (const auto& runtime : runtimes) try {
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
