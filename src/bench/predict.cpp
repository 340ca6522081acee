#include <algorithm>
#include <cmath>

#include "base/child_process.h"
#include "base/error.h"
#include "bench/bench_case.h"
#include "measure/interleave.h"
#include "measure/pinning.h"
#include "measure/statistics.h"
#include "onnx/read.h"
#include "ops/infer.h"
#include "profile/correction.h"
#include "run/inputs.h"

// Predicting models from timings of their nodes: for each model, the correction is learnt from all others.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kThreadCounts[] = {1, 2};

/// One model at one number of threads.
struct Row {
  std::string model;
  std::size_t threads = 1;
  std::size_t nodes = 0, configs = 0, untimed = 0;
  MeasuredGraph graph;
};

/// Rounds until enough seconds have been spent.
struct Effort {
  std::size_t least_rounds = 15;
  double seconds = 4;
};

/// Times the whole model and its nodes in turn, so that whatever else the machine does hits both alike; what a child
/// reports.
std::string measure_model(const std::filesystem::path& file, std::size_t threads, const Effort& effort) {
  pin_process(threads);
  Model model = onnx::read(file);
  infer_types(model);
  const std::vector<Datum> inputs = random_inputs(model, 0);
  const ort::Environment environment(ort::Library::load(), static_cast<int>(threads));
  const ObservedGraph observed = observe_optimized(environment, file, inputs);
  GraphProfiler profiler(environment, observed, threads);
  const ort::Session session(environment, file);
  const ort::PreparedRun whole(session, inputs);
  InterleavedSamples samples;
  samples.blocks.emplace_back();
  double used = 0;
  for (std::size_t round = 0; round < effort.least_rounds || used < effort.seconds; ++round) {
    const Stopwatch all;
    whole.run();  // so that the caches are as another inference leaves them
    const Stopwatch watch;
    whole.run();
    samples.blocks.back().push_back({watch.stop()});
    profiler.round();
    used += all.stop().cpu_seconds;
  }
  const ProfileContext context{.hardware = hardware_fingerprint(), .runtime = environment.library()->version(), .threads = threads};
  ProfileTable table;
  const GraphProfile profile = profiler.finish(context, table);
  const GraphFeatures features = features_of(profile, context, table);
  const Clock clock = threads == 1 ? Clock::cpu : Clock::wall;
  Json nodes = Json::array();
  if (std::getenv("HONE_DUMP"))
    for (const ProfiledNode& node : profile.nodes) {
      const auto record = table.find(context, node.config);
      nodes.push_back({node.name, node.op, node.config, record ? record->seconds : -1, node.flops, node.activation_bytes, node.weight_bytes});
    }
  return Json{{"nodes", profile.nodes.size()},
              {"configs", table.records().size()},
              {"untimed", profile.untimed},
              {"sum", features.sum_seconds},
              {"frame", profile.frame_seconds},
              {"shares", features.shares},
              {"detail", nodes},
              {"rounds", samples.blocks[0].size()},
              {"disturbed", samples.disturbed_share()},
              {"seconds", median(counted_seconds(samples, 0, clock))}}
      .dump();
}

std::vector<std::filesystem::path> model_files(const BenchOptions& options) {
  if (options.models.empty()) fail_usage("predicting needs models: --models DIR");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.models))
    if (entry.path().extension() == ".onnx" && entry.path().filename().string().find(options.filter) != std::string::npos)
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) fail_usage("{}: there is no .onnx file in this folder", options.models.string());
  return files;
}

std::vector<Row> measure_all(const BenchOptions& options) {
  const Effort effort = options.quick ? Effort{.least_rounds = 5, .seconds = 0} : Effort{};
  std::vector<Row> rows;
  for (const auto& file : model_files(options)) {
    for (const std::size_t threads : kThreadCounts) {
      const Json found = Json::parse(text_of_child([&] { return measure_model(file, threads, effort); }));
      if (std::getenv("HONE_DUMP")) fmt::print(stderr, "{} {} {}\n", file.stem().string(), threads, found.dump());
      Row row{.model = file.stem().string(), .threads = threads, .nodes = found["nodes"], .configs = found["configs"],
              .untimed = found["untimed"].size()};
      row.graph = {.features = {.sum_seconds = found["sum"], .shares = found["shares"]}, .seconds = found["seconds"]};
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

double error_percent(double predicted, double measured) { return 100 * std::fabs(predicted / measured - 1); }

/// Seconds predicted for a row by what is learnt from the other models.
double predict_from_others(const std::vector<Row>& rows, const Row& wanted) {
  std::vector<MeasuredGraph> others;
  for (const Row& row : rows)
    if (row.model != wanted.model) others.push_back(row.graph);
  return Correction::fit(others).predict_seconds(wanted.graph.features);
}

BenchReport run_predict(const BenchOptions& options) {
  ort::Library::load();  // says what is missing before anything is measured
  const std::vector<Row> rows = measure_all(options);
  BenchReport report;
  std::vector<double> errors, sum_errors;
  for (const Row& row : rows) {
    const double measured = row.graph.seconds, sum = row.graph.features.sum_seconds;
    const double predicted = predict_from_others(rows, row);
    errors.push_back(error_percent(predicted, measured));
    sum_errors.push_back(error_percent(sum, measured));
    report.rows.push_back({{"model", row.model}, {"threads", row.threads}, {"nodes", row.nodes}, {"configs", row.configs},
                           {"untimed", row.untimed}, {"measured_ms", measured * 1e3}, {"sum_ms", sum * 1e3},
                           {"sum_error_percent", sum_errors.back()}, {"predicted_ms", predicted * 1e3},
                           {"error_percent", errors.back()}});
  }
  report.summary = {{"median_error_percent", median(errors)},
                    {"worst_error_percent", *std::ranges::max_element(errors)},
                    {"sum_error_percent", median(sum_errors)},
                    {"worst_sum_error_percent", *std::ranges::max_element(sum_errors)}};
  return report;
}

const BenchCase predict("predict", "Latency predicted from timings of operators, each model from the others (--models DIR)",
                        run_predict);

}  // namespace
}  // namespace hone
