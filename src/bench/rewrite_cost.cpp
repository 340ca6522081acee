#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/verbosity.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/native_ways.h"
#include "bench/rewrite_sampling.h"
#include "formats/onnx/read.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "run/measure/statistics.h"
#include "store/records/circumstances.h"
#include "store/records/rewrite_records.h"
#include "zoo/registry.h"

// What whole graphs take, told without running them. Rewrites of many models are drawn and measured twice on each
// runtime (into --db, where a run that was killed goes on); a model of whole graphs is then fitted for every
// architecture on all others, and ranks the rewrites of the one it has not seen. Beside it: the sum of prices by the
// roofline, of what operators take alone, and of the kernels that the runtime makes of them. With --data FILE what such
// a store of another machine holds is ranked, and nothing is measured.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// A model to rewrite; what is fitted for one has seen none of its architecture.
struct RewrittenModel {
  std::string name, architecture;
  std::filesystem::path file;  // none for models of the zoo
};

constexpr std::pair<std::string_view, std::string_view> kZooModels[] = {
    {"squeezenet", "squeezenet"},
    {"bert:layers=3,vocabulary=1000", "bert"},
    {"vit:layers=3", "vit"},
    {"dalle-mini:layers=2,text_vocabulary=1000,image_vocabulary=1000", "dalle-mini"},
    {"transformer-transducer:audio_layers=4", "transformer-transducer"},
    {"transformer-xl:layers=3,vocabulary=1000", "transformer-xl"},
    {"resnext50:resolution=128", "resnet"},
    {"inception-v3:resolution=139", "inception"},
    {"nasrnn", "nasrnn"},
    {"nasnet-a:resolution=96,cells=2", "nasnet"},
    {"vgg19:resolution=64", "vgg"},
    {"mobilenet-v2", "mobilenet"},
    {"llama:layers=2,hidden=512,heads=8,kv_heads=4,feed_forward=1536,vocabulary=1000", "llama"},
    {"unet:resolution=96,width=32", "unet"},
    {"wavenet:length=1024", "wavenet"},
    {"graphnets", "graphnets"},
    {"mamba:layers=4,vocabulary=1000", "mamba"},
    {"gpt2:layers=2,vocabulary=1000,length=64", "gpt2"},
    {"resnet18:resolution=128", "resnet"},
    {"resnet50:resolution=96", "resnet"},
    {"mnasnet:resolution=160", "mobilenet"},
    {"ssd-mobilenet:resolution=160", "mobilenet"},
    {"rnnlm:length=8,hidden=512,vocabulary=1000", "rnnlm"},
    {"gnmt:length=5,hidden=256,vocabulary=1000", "gnmt"},
    {"deeprank", "deeprank"},
    {"amoebanet-d:resolution=96,cells=1,channels=64", "amoebanet"},
    {"bert:layers=2,length=32,vocabulary=1000", "bert"},
    {"vit:layers=2,hidden=384,heads=6,feed_forward=1536", "vit"},
    {"squeezenet:resolution=128", "squeezenet"},
    {"llama:layers=2,length=16,hidden=768,heads=12,kv_heads=4,feed_forward=2048,vocabulary=1000", "llama"},
    {"inception-v3:resolution=107", "inception"},
    {"transformer-xl:layers=2,length=16,memory=16,vocabulary=1000", "transformer-xl"},
};

/// Files go by the word their name begins with; of those, some are variants of others.
std::string architecture_of(const std::string& name) {
  for (const auto& [zoo, architecture] : kZooModels)
    if (name == zoo) return std::string(architecture);
  const std::string word = name.substr(0, name.find_first_of("0123456789_-"));
  if (word == "distilbert") return "bert";
  return word == "mnasnet" ? "mobilenet" : word;
}

/// A filter that is the whole name of a model means no other.
bool is_wanted(std::string_view name, const BenchOptions& options) {
  const bool is_name = std::ranges::find(kZooModels, options.filter, [](const auto& each) { return each.first; }) !=
                       std::end(kZooModels);
  return is_name ? name == options.filter : name.find(options.filter) != name.npos;
}

std::vector<RewrittenModel> models_of(const BenchOptions& options) {
  std::vector<RewrittenModel> models;
  for (const auto& [name, architecture] : kZooModels)
    if (is_wanted(name, options)) models.push_back({std::string(name), std::string(architecture), {}});
  BenchOptions all_files = options;
  all_files.filter.clear();  // which may well name a model of the zoo alone
  if (!options.models.empty())
    for (const auto& file : model_files(all_files))
      if (const std::string name = file.stem().string(); name.find(options.filter) != name.npos)
        models.push_back({name, architecture_of(name), file});
  if (options.quick && models.size() > 1) models.resize(1);
  return models;
}

Model model_to_rewrite(const RewrittenModel& wanted) {
  Model model = wanted.file.empty() ? build_zoo(wanted.name) : onnx::read(wanted.file);
  infer_types(model);
  clean(model);
  infer_types(model);
  return model;
}

/// Rewrites of all models on one runtime, those that the store has not yet measured now.
class SampledModels {
 public:
  SampledModels(std::shared_ptr<const Runtime> runtime, const BenchOptions& options)
      : runtime_(std::move(runtime)), options_(options), context_(context_of({.runtime = runtime_})) {
    if (!options.store.empty()) store_.emplace(options.store);
    if (store_) known_ = stored_rewrites(*store_, context_);
  }

  TimedRewrites rewrites_of(const RewrittenModel& wanted) {
    const auto found = std::ranges::find(known_, wanted.name, &TimedRewrites::model);
    if (found != known_.end()) return *found;
    const Model model = model_to_rewrite(wanted);
    SamplingEffort effort{.seed = options_.seed};
    if (options_.quick) {
      effort.rewrites = 6;
      effort.seconds = 0.1;
      effort.operators = {.least_rounds = 3, .most_rounds = 3, .seconds = 0};
    }
    TimedRewrites timed = sample_rewrites(wanted.name, model, runtime_, effort, store_ ? &*store_ : nullptr);
    if (store_) record_rewrites(*store_, graph_record(wanted.name, model), context_, timed);
    return timed;
  }

 private:
  std::shared_ptr<const Runtime> runtime_;
  const BenchOptions& options_;
  ProfileContext context_;
  std::optional<Store> store_;
  std::vector<TimedRewrites> known_;
};

/// What is measured of the start and all rewrites of a model, and what somebody says of them.
struct Ranking {
  std::vector<double> first, second, predicted;

  double mean(std::size_t i) const { return (first[i] + second[i]) / 2; }
  double agreement() const { return rank_correlation(first, second); }
  /// Against either measurement, so that it compares with the agreement of the two.
  double correlation() const { return (rank_correlation(predicted, first) + rank_correlation(predicted, second)) / 2; }
  /// How much longer what it takes for the best takes than the best.
  double regret_percent() const {
    const auto taken = static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin());
    double best = mean(0);
    for (std::size_t i = 0; i < first.size(); ++i) best = std::min(best, mean(i));
    return 100 * (mean(taken) / best - 1);
  }
  double spread_percent() const {
    double least = mean(0), most = mean(0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      least = std::min(least, mean(i));
      most = std::max(most, mean(i));
    }
    return 100 * (most / least - 1);
  }
};

Ranking ranking_of(const TimedRewrites& timed, const GraphTime& time, PartPrices prices) {
  Ranking ranking;
  const auto add = [&](const TimedRewrite& each) {
    ranking.first.push_back(each.seconds);
    ranking.second.push_back(each.again_seconds);
    ranking.predicted.push_back(time.seconds(parts_by(prices, each)));
  };
  add(timed.start);
  std::ranges::for_each(timed.rewrites, add);
  return ranking;
}

struct SampledModel {
  RewrittenModel model;
  TimedRewrites timed;
};

GraphTime fitted_without(const std::vector<SampledModel>& all, const std::string& architecture, PartPrices prices) {
  std::vector<MeasuredRewrites> others;
  for (const SampledModel& each : all)
    if (each.model.architecture != architecture) others.push_back(examples_of(each.timed, prices));
  return GraphTime::fit(others);
}

/// Who says what graphs take.
struct Predictor {
  const char* name;
  PartPrices prices;
  bool learned;
};
constexpr Predictor kPredictors[] = {
    {"roofline_sum", PartPrices::estimated, false}, {"operator_sum", PartPrices::timed, false},
    {"kernel_sum", PartPrices::executed, false},    {"learned_roofline", PartPrices::estimated, true},
    {"learned_operators", PartPrices::timed, true}, {"learned_kernels", PartPrices::executed, true}};

Json ranked_row(const SampledModel& sampled, const std::vector<SampledModel>& all, const std::string& runtime) {
  Json row{{"runtime", runtime},
           {"model", sampled.model.name},
           {"rewrites", sampled.timed.rewrites.size()},
           {"original_ms", 1e3 * sampled.timed.start.seconds}};
  for (const Predictor& predictor : kPredictors) {
    const GraphTime time =
        predictor.learned ? fitted_without(all, sampled.model.architecture, predictor.prices) : GraphTime();
    const Ranking ranking = ranking_of(sampled.timed, time, predictor.prices);
    row["spread_percent"] = ranking.spread_percent();
    row["agreement"] = ranking.agreement();
    const std::string name = predictor.name;
    row[name + "_spearman"] = ranking.correlation();
    row[name + "_share"] = ranking.correlation() / std::max(0.01, ranking.agreement());
    row[name + "_regret_percent"] = ranking.regret_percent();
    row[name + "_error_percent"] = 100 * std::fabs(ranking.predicted[0] / ranking.mean(0) - 1);
  }
  return row;
}

/// Over models whose rewrites differ enough to be ranked, and regrets over all. Where two measurements hardly agree, a
/// share of their agreement says nothing: such models are counted apart, and those where they clearly do once more.
Json ranking_summary(const std::vector<Json>& rows, const std::string& runtime) {
  constexpr double kLeastSpread = 3;  // percent
  constexpr double kLeastAgreement = 0.2, kClearAgreement = 0.5;
  Json summary = Json::object();
  for (const Predictor& predictor : kPredictors) {
    std::vector<double> shares, clear_shares, regrets, errors;
    std::size_t noisy = 0;
    for (const Json& row : rows) {
      if (row["runtime"] != runtime) continue;
      regrets.push_back(row[std::string(predictor.name) + "_regret_percent"]);
      errors.push_back(row[std::string(predictor.name) + "_error_percent"]);
      if (row["spread_percent"] < kLeastSpread) continue;
      const double agreement = row["agreement"], share = row[std::string(predictor.name) + "_share"];
      noisy += agreement < kLeastAgreement ? 1 : 0;
      if (agreement >= kLeastAgreement) shares.push_back(share);
      if (agreement >= kClearAgreement) clear_shares.push_back(share);
    }
    if (regrets.empty()) continue;
    summary[predictor.name] = {{"models", regrets.size()},
                               {"models_ranked", shares.size()},
                               {"models_noisy", noisy},
                               {"median_share", shares.empty() ? 0 : median(shares)},
                               {"models_clear", clear_shares.size()},
                               {"median_share_clear", clear_shares.empty() ? 0 : median(clear_shares)},
                               {"median_regret_percent", median(regrets)},
                               {"worst_regret_percent", *std::ranges::max_element(regrets)},
                               {"median_error_percent", median(errors)},
                               {"worst_error_percent", *std::ranges::max_element(errors)}};
  }
  return summary;
}

void rank_all(const std::vector<SampledModel>& all, const std::string& runtime, BenchReport& report) {
  for (const SampledModel& each : all)
    if (!each.timed.rewrites.empty()) report.rows.push_back(ranked_row(each, all, runtime));
  report.summary[runtime] = ranking_summary(report.rows, runtime);
}

BenchReport rank_stored(const BenchOptions& options) {
  BenchReport report;
  Store store(options.data.string(), StoreAccess::read);
  for (auto& [runtime, models] : rewrites_by_runtime(store)) {
    std::vector<SampledModel> all;
    for (TimedRewrites& timed : models)
      all.push_back({{timed.model, architecture_of(timed.model), {}}, std::move(timed)});
    rank_all(all, runtime, report);
  }
  return report;
}

BenchReport run_rewrite_cost(const BenchOptions& options) {
  if (!options.data.empty()) return rank_stored(options);
  const std::vector<RewrittenModel> models = models_of(options);
  if (models.empty()) fail_usage("no model has '{}' in its name", options.filter);
  std::vector<std::shared_ptr<const Runtime>> runtimes;
  if (usual_runtime()->available()) runtimes.push_back(usual_runtime());
  if (RuntimeKind::stand_in() != nullptr) runtimes.push_back(RuntimeKind::stand_in()->make(""));
  BenchReport report;
  for (const auto& runtime : runtimes) {
    SampledModels sampling(runtime, options);
    std::vector<SampledModel> all;
    for (const RewrittenModel& model : models) {
      try {
        all.push_back({model, sampling.rewrites_of(model)});
      } catch (const InputError& error) {
        note("{}, {}: left out: {}", runtime->name(), model.name, error.what());
        continue;
      }
      erase_progress();
      note("{}, {}: {} rewrites measured", runtime->name(), model.name, all.back().timed.rewrites.size());
    }
    rank_all(all, runtime->name(), report);
  }
  return report;
}

const BenchRun rewrite_cost("rewrite-cost", run_rewrite_cost);

}  // namespace
}  // namespace hone
