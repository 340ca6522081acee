#include <algorithm>
#include <cmath>

#include "base/child_process.h"
#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/native_standing.h"
#include "bench/plain_copy.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "run/measure/interleave.h"
#include "run/measure/pinning.h"
#include "run/measure/statistics.h"
#include "run/runtime/runtime.h"
#include "run/verify/compare.h"
#include "run/verify/inputs.h"

// Hone's own executor beside the usual runtime, in turn in one process, on one thread and on two.

namespace hone {
namespace {

constexpr std::string_view kScanModel =
    "mamba_small";  // which no other model is like, so that means are told without it too
constexpr std::size_t kNativeThreads[] = {1, 2};
constexpr double kSettleSeconds = 0.05;  // threads of either runtime have stopped waiting busily by then

struct TimedModel : Subject {
  explicit TimedModel(std::unique_ptr<PreparedModel> made) : prepared(std::move(made)) {}
  void run() override { prepared->run(); }
  std::unique_ptr<PreparedModel> prepared;
};

/// A model on one runtime.
struct HostedModel {
  std::unique_ptr<RuntimeHost> host;
  const ModelToRun& model;
  const std::vector<Datum>& inputs;

  std::unique_ptr<Subject> subject() const {
    auto made = std::make_unique<TimedModel>(host->prepare(model, {}));
    made->prepared->set_inputs(inputs);
    return made;
  }
};

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return ratios.empty() ? 1 : std::exp(sum / static_cast<double>(ratios.size()));
}

/// How far results are apart, relative to the largest of them.
double largest_difference(const std::vector<Datum>& found, const std::vector<Datum>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Tensor &a = found[i].tensor(), &b = expected[i].tensor();
    double apart = 0, scale = 0;
    for (std::size_t k = 0; k < a.count(); ++k) {
      apart = std::max(apart, std::fabs(a.number_at(k) - b.number_at(k)));
      scale = std::max(scale, std::fabs(b.number_at(k)));
    }
    worst = std::max(worst, scale > 0 ? apart / scale : apart);
  }
  return worst;
}

nlohmann::ordered_json compare_on(const std::filesystem::path& file, std::size_t threads, const BenchOptions& options) {
  pin_process(threads);
  Model model = onnx::read(file);
  infer_types(model);
  const std::vector<Datum> inputs = given_inputs(model, {}, options.seed);
  const ModelToRun given{model, file};
  const HostedModel usual{usual_runtime()->start(threads), given, inputs};
  const HostedModel own{RuntimeKind::named("native").make("")->start(threads), given, inputs};
  const Timer timer;
  const auto prepared = own.host->prepare(given, {});
  const double prepare_seconds = timer.seconds();
  prepared->set_inputs(inputs);
  const auto expected = usual.host->prepare(given, {});
  expected->set_inputs(inputs);
  const auto profile = own.host->record_kernels(given, {}, inputs, 1);
  const double kernels = profile ? static_cast<double>(profile->kernels.size()) : 0;
  const SubjectMaker makers[] = {[&] { return usual.subject(); }, [&] { return own.subject(); }};
  const InterleavedSamples samples = interleave(makers, {.warmup_seconds = 0.1,
                                                         .seconds = options.quick ? 0.3 : 3,
                                                         .blocks = options.quick ? 1U : 4U,
                                                         .seed = options.seed,
                                                         .settle_seconds = threads > 1 ? kSettleSeconds : 0});
  const Clock clock = clock_for(samples, threads);
  const RatioEstimate ratio = compare_subjects(samples, 0, 1, clock, options.seed);
  return {{"model", file.stem().string()},
          {"threads", threads},
          {"usual_ms", median(counted_seconds(samples, 0, clock)) * 1e3},
          {"native_ms", median(counted_seconds(samples, 1, clock)) * 1e3},
          {"speedup", ratio.speedup()},
          {"low", 1 / ratio.high},
          {"high", 1 / ratio.low},
          {"kernels", kernels},
          {"by_definition", prepared->notes().size()},
          {"prepare_ms", prepare_seconds * 1e3},
          {"difference", largest_difference(prepared->outputs(), expected->outputs())}};
}

/// Share of the speed of the fastest plain copy that a chain of eight pointwise operators reaches on 64 MB: of drawn
/// numbers, since some processors (Zen 5) copy zeros faster than anything else.
double copy_share() {
  constexpr std::int64_t kElements = 1 << 24;
  Model model;
  model.opsets.imports = {{"", 18}};
  Graph& graph = model.graph;
  ValueId value = graph.add_input("x", Type::tensor(ElementType::float32, {Dim(kElements)}));
  for (const char* op : {"Relu", "Neg", "Abs", "Sqrt", "Neg", "Abs", "Relu", "Neg"})
    value = graph.add(OpName::intern("", op), std::vector<ValueId>{value});
  graph.add_output(value);
  infer_types(model);
  Tensor x = Tensor::zeros(ElementType::float32, {kElements});
  Rng rng(1);
  for (float& element : x.write<float>()) element = static_cast<float>(rng.uniform(0, 1));
  Tensor copy = Tensor::zeros(ElementType::float32, {kElements});
  const auto host = RuntimeKind::named("native").make("")->start(1);
  const auto prepared = host->prepare({model, {}}, {});
  prepared->set_inputs(std::vector<Datum>{x});
  constexpr int kRounds = 20;
  double best_copy = 1e9, best_chain = 1e9;
  for (int i = 0; i < kRounds; ++i) {
    best_copy = std::min(best_copy, plain_copy_seconds(x.bytes(), copy.write_bytes()));
    const Timer running;
    prepared->run();
    best_chain = std::min(best_chain, running.seconds());
  }
  return best_copy / best_chain;
}

BenchReport run_native(const BenchOptions& options) {
  usual_runtime()->version();  // says what is missing before anything is measured
  BenchReport report;
  std::vector<double> ratios[2], without_scans, prepare_ms, against_optimized, prediction_errors;
  double slowest = 1e9;
  for (const auto& file : model_files(options)) {
    against_optimized.push_back(speedup_over_optimized(file, options));
    prediction_errors.push_back(prediction_error(file, options));
    for (std::size_t i = 0; i < std::size(kNativeThreads); ++i) {
      const ChildResult child = run_in_child([&] { return compare_on(file, kNativeThreads[i], options).dump(); });
      if (child.text.empty()) fail("{}: died with signal {}", file.string(), child.signal);
      const auto row = nlohmann::ordered_json::parse(child.text);
      const double speedup = row.at("speedup");
      ratios[i].push_back(speedup);
      if (i == 0 && row.at("model") != kScanModel) without_scans.push_back(speedup);
      slowest = std::min(slowest, speedup);
      prepare_ms.push_back(row.at("prepare_ms").get<double>() / std::max(1.0, row.at("kernels").get<double>()));
      report.rows.push_back(row);
    }
  }
  report.summary = {{"geomean_1t", geometric_mean(ratios[0])},
                    {"geomean_2t", geometric_mean(ratios[1])},
                    {"geomean_1t_without_mamba", geometric_mean(without_scans)},
                    {"slowest", slowest},
                    {"against_optimized", geometric_mean(against_optimized)},
                    {"copy_share", copy_share()},
                    {"median_prediction_error", median(prediction_errors)},
                    {"compile_ms_per_group", median(prepare_ms)}};
  return report;
}

const BenchRun native_bench("native", run_native);

}  // namespace
}  // namespace hone
