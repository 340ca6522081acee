#include <cmath>
#include <map>

#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/timer.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/finished_rows.h"
#include "bench/model_files.h"
#include "deliver/delivery.h"
#include "deliver/package.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"

// What `hone optimize` makes of models, against the usual runtime as it is, at one and two threads. A row is the last
// measurement of a delivery, by runs that had no part in choosing what is delivered. With --db rows that are done are
// kept, and taken from there when the same is asked again.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kThreadCounts[] = {1, 2};
constexpr double kQuickOptimizeSeconds = 10;

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

Delivery optimize_model(const Model& model, std::size_t threads, const BenchOptions& options) {
  DeliveryRequest request{.runtime = usual_runtime(), .threads = threads, .seed = options.seed};
  request.make_static = [](Model& each) { infer_types(each); };
  if (options.quick) request.seconds = kQuickOptimizeSeconds;
  return deliver(model, request);
}

Json finished_row(const std::filesystem::path& file, std::size_t threads, const BenchOptions& options,
                  FinishedRows& finished) {
  const Model model = onnx::read(file);
  const Json request{{"model", source_digest(model)}, {"threads", threads}, {"seed", options.seed},
                     {"quick", options.quick},        {"commit", commit()}, {"runtime", usual_runtime()->version()},
                     {"computer", this_hardware().id}};
  if (const std::optional<Json> row = finished.find(request)) return *row;
  const Timer timer;
  Json row = delivery_row(file.stem().string(), threads, optimize_model(model, threads, options));
  row["seconds"] = timer.seconds();
  finished.add(graph_record(file.stem().string(), model), request, row);
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
  const auto files = model_files(options);
  const CountedProgress progress(files.size() * std::size(kThreadCounts));
  for (const auto& file : files)
    for (const std::size_t threads : kThreadCounts) {
      progress.show(report.rows.size(), file.stem().string());
      const Json& row = report.rows.emplace_back(finished_row(file, threads, options, finished));
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
