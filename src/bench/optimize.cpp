#include <cmath>
#include <map>

#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/finished_rows.h"
#include "bench/model_files.h"
#include "deliver/delivery.h"
#include "deliver/package.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "zoo/registry.h"

// What `hone optimize` makes of models, against the usual runtime as it is, at one and two threads. A row is the last
// measurement of a delivery, by runs that had no part in choosing what is delivered. With --db rows that are done are
// kept, and taken from there when the same is asked again. With --data FILE the models are those of the zoo that the
// file lists, with so many seconds each (bench/optimize has such files).

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kQuickOptimizeSeconds = 10;

/// What is optimised, and for how long.
struct OptimizedModels {
  std::vector<std::string> names;  // files, or of the zoo behind `zoo:`
  std::vector<std::size_t> threads = {1, 2};
  std::optional<double> seconds;  // as long as a run takes by default
};

OptimizedModels listed_models(const BenchOptions& options) {
  const auto listed = nlohmann::json::parse(read_text_file(options.data).text, nullptr, false);
  if (!listed.is_object() || !listed.contains("models") || !listed.contains("seconds"))
    fail("{}: no list of models: it needs models and seconds", options.data.string());
  OptimizedModels models{
      .names = {}, .threads = listed.value("threads", std::vector<std::size_t>{1}), .seconds = listed["seconds"]};
  for (const std::string name : listed["models"])
    if (name.find(options.filter) != name.npos) models.names.push_back("zoo:" + name);
  if (models.names.empty()) fail_usage("no model has '{}' in its name", options.filter);
  return models;
}

OptimizedModels optimized_models(const BenchOptions& options) {
  OptimizedModels models = options.data.empty() ? OptimizedModels() : listed_models(options);
  if (options.data.empty())
    for (const auto& file : model_files(options)) models.names.push_back(file.string());
  if (options.quick) models.seconds = kQuickOptimizeSeconds;
  return models;
}

constexpr std::string_view kZooPrefix = "zoo:";

Model model_named(const std::string& name) {
  return name.starts_with(kZooPrefix) ? build_zoo(name.substr(kZooPrefix.size())) : onnx::read(name);
}

std::string title_of(const std::string& name) {
  return name.starts_with(kZooPrefix) ? name.substr(kZooPrefix.size()) : std::filesystem::path(name).stem().string();
}

/// The steps in words: `rules kernels_convolution (25), without SkipLayerNormFusion`.
std::string bought_by(const Delivery& delivery) {
  if (!delivery.gain) return "no gain";
  std::string text;
  for (const Step& step : delivery.chosen.steps) {
    text += (text.empty() ? "" : ", ") + step.name;
    if (step.part == Part::model) text += fmt::format(" ({})", step.sites);
  }
  return text;
}

double speedup_of(const std::optional<RatioEstimate>& ratio) { return ratio ? ratio->speedup() : 1; }

/// Where the original itself is delivered there is nothing to compare it with: it is as fast as it is.
Json delivery_row(const std::string& model, std::size_t threads, const Delivery& delivery) {
  return {{"model", model},
          {"threads", threads},
          {"original_ms", delivery.measurement->models[0].latency.median * 1e3},
          {"hone_ms", delivery.measurement->models[delivery.whole ? 1 : 0].latency.median * 1e3},
          {"speedup", speedup_of(delivery.whole)},
          {"low99", delivery.whole ? 1 / delivery.whole->certain_high : 1},
          {"high99", delivery.whole ? 1 / delivery.whole->certain_low : 1},
          {"claimed", delivery.gain},
          {"model_alone", speedup_of(delivery.model_part)},
          {"options_alone", speedup_of(delivery.runtime_part)},
          {"bought_by", bought_by(delivery)},
          {"verified", delivery.correct()},
          {"disturbed", delivery.measurement->disturbed_share}};
}

Json finished_row(const std::string& name, const DeliveryRequest& wanted, FinishedRows& finished) {
  const Model model = model_named(name);
  const Json request{
      {"model", source_digest(model)},      {"threads", wanted.threads}, {"seed", wanted.seed},
      {"time", wanted.seconds.value_or(0)}, {"commit", commit()},        {"runtime", wanted.runtime->version()},
      {"computer", this_hardware().id}};
  if (const std::optional<Json> row = finished.find(request)) return *row;
  const Timer timer;
  Json row = delivery_row(title_of(name), wanted.threads, deliver(model, wanted));
  row["seconds"] = timer.seconds();
  finished.add(graph_record(title_of(name), model), request, row);
  return row;
}

/// `geomean_1t`, `geomean_2t`, and how many rows are slower beyond their interval.
Json delivery_summary(const std::vector<Json>& rows) {
  std::map<std::size_t, std::vector<double>> logarithms;
  std::size_t slower = 0;
  for (const Json& row : rows) {
    logarithms[row["threads"]].push_back(std::log(row["speedup"].get<double>()));
    slower += row["high99"].get<double>() < 1 ? 1 : 0;
  }
  Json summary = Json::object();
  for (const auto& [threads, values] : logarithms) {
    double sum = 0;
    for (const double value : values) sum += value;
    summary[fmt::format("geomean_{}t", threads)] = std::exp(sum / static_cast<double>(values.size()));
  }
  summary["slower"] = slower;
  return summary;
}

BenchReport run_optimize(const BenchOptions& options) {
  usual_runtime()->version();  // says what is missing before anything is measured
  FinishedRows finished("optimize", options.store);
  BenchReport report;
  const OptimizedModels models = optimized_models(options);
  const CountedProgress progress(models.names.size() * models.threads.size());
  for (const std::string& name : models.names)
    for (const std::size_t threads : models.threads) {
      progress.show(report.rows.size(), title_of(name));
      DeliveryRequest wanted{
          .seconds = models.seconds, .runtime = usual_runtime(), .threads = threads, .seed = options.seed};
      wanted.make_static = [](Model& each) { infer_types(each); };
      const Json& row = report.rows.emplace_back(finished_row(name, wanted, finished));
      erase_progress();
      fmt::print(stderr, "{}, {} thread{}: {:.3f} [{:.3f}, {:.3f}], {}\n", row["model"].get<std::string>(), threads,
                 threads == 1 ? "" : "s", row["speedup"].get<double>(), row["low99"].get<double>(),
                 row["high99"].get<double>(), row["bought_by"].get<std::string>());
    }
  report.summary = delivery_summary(report.rows);
  return report;
}

const BenchRun optimize("optimize", run_optimize);

}  // namespace
}  // namespace hone
