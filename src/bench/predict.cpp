#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "run/measure/statistics.h"
#include "run/profile/model_profile.h"

// Predicting models from timings of their nodes: for each model, the correction is learnt from all others.

namespace hone {
namespace {

constexpr std::size_t kPredictedThreads[] = {1, 2};

/// One model at one number of threads.
struct PredictedRow {
  std::string model;
  ModelProfile profile;
  MeasuredGraph graph;
};

std::vector<PredictedRow> measure_all(const BenchOptions& options) {
  const ProfileEffort effort =
      options.quick ? ProfileEffort{.least_rounds = 3, .most_rounds = 3, .seconds = 0} : ProfileEffort{};
  std::vector<PredictedRow> rows;
  for (const auto& file : model_files(options)) {
    Model model = onnx::read(file);
    infer_types(model);
    for (const std::size_t threads : kPredictedThreads) {
      PredictedRow row{.model = file.stem().string(),
                       .profile = profile_model(model, file, {.threads = threads, .effort = effort}),
                       .graph = {}};
      row.graph = {.features = features_of(row.profile.graph, row.profile.context, row.profile.table),
                   .seconds = row.profile.measured_seconds};
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

double error_percent(double predicted, double measured) { return 100 * std::fabs(predicted / measured - 1); }

/// Seconds predicted for a row by what is learnt from the other models.
double predict_from_others(const std::vector<PredictedRow>& rows, const PredictedRow& wanted) {
  std::vector<MeasuredGraph> others;
  for (const PredictedRow& row : rows)
    if (row.model != wanted.model) others.push_back(row.graph);
  return Correction::fit(others).predict_seconds(wanted.graph.features);
}

BenchReport run_predict(const BenchOptions& options) {
  usual_runtime()->version();  // says what is missing before anything is measured
  const std::vector<PredictedRow> rows = measure_all(options);
  BenchReport report;
  std::vector<double> errors, sum_errors;
  for (const PredictedRow& row : rows) {
    const double measured = row.graph.seconds, sum = row.graph.features.sum_seconds;
    const double predicted = predict_from_others(rows, row);
    errors.push_back(error_percent(predicted, measured));
    sum_errors.push_back(error_percent(sum, measured));
    report.rows.push_back({{"model", row.model},
                           {"threads", row.profile.context.threads},
                           {"nodes", row.profile.graph.nodes.size()},
                           {"configs", row.profile.table.records().size()},
                           {"untimed", row.profile.graph.untimed.size()},
                           {"rounds", row.profile.rounds},
                           {"measured_ms", measured * 1e3},
                           {"sum_ms", sum * 1e3},
                           {"sum_error_percent", sum_errors.back()},
                           {"predicted_ms", predicted * 1e3},
                           {"error_percent", errors.back()}});
  }
  report.summary = {{"median_error_percent", median(errors)},
                    {"worst_error_percent", *std::ranges::max_element(errors)},
                    {"sum_error_percent", median(sum_errors)},
                    {"worst_sum_error_percent", *std::ranges::max_element(sum_errors)}};
  return report;
}

const BenchRun predict("predict", run_predict);

}  // namespace
}  // namespace hone
