#include "base/child_process.h"
#include "bench/bench_run.h"
#include "formats/onnx/write.h"
#include "run/measure/measurement.h"

// Whether `hone measure` can be believed: it must not see a difference between a model and itself, and must see one
// that was planted.

namespace hone {
namespace {

constexpr std::size_t kLayers = 100, kExtraLayers = 3;  // three percent more of the same work
constexpr std::int64_t kWidth = 96;

/// A chain of equal layers, each a product and an activation.
Candidate chain_of_layers(std::size_t layers, const std::filesystem::path& folder) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", 17}};
  Graph& graph = model.graph;
  graph.name = "chain";
  ValueId at = graph.add_input("x", Type::tensor(ElementType::float32, {32, kWidth}));
  Tensor weight = Tensor::zeros(ElementType::float32, {kWidth, kWidth});
  for (std::size_t i = 0; i < weight.count(); ++i) weight.set_number(i, i % (kWidth + 1) == 0 ? 0.9 : 0.001);
  const ValueId constant = graph.add_constant("weight", weight);
  for (std::size_t i = 0; i < layers; ++i) {
    at = graph.add(OpName::intern("", "MatMul"), std::vector{at, constant}, {}, fmt::format("product{}", i));
    at = graph.add(OpName::intern("", "Tanh"), std::vector{at}, {}, fmt::format("tanh{}", i));
  }
  graph.set_type(at, Type::tensor(ElementType::float32, {32, kWidth}));
  graph.add_output(at);
  const auto file = folder / fmt::format("chain{}.onnx", layers);
  onnx::write(model, file);
  return {.name = fmt::format("{} layers", layers), .model = std::move(model), .file = file};
}

/// What comparisons of one kind found.
struct Findings {
  std::size_t claims = 0;
  std::size_t right = 0;  // claims that the second model is the slower one
  std::vector<double> ratios;
  double disturbed_share = 0;
};

Findings compare_often(const std::vector<Candidate>& pair, std::size_t trials, std::uint64_t seed) {
  MeasureOptions options;
  options.interleave = {.warmup_seconds = 0.04, .seconds = 0.6, .least_rounds = 80, .blocks = 8};
  Findings findings;
  for (std::size_t i = 0; i < trials; ++i) {
    options.interleave.seed = seed + i;
    const Measurement measurement = measure_models(pair, options);
    for (const Measured& model : measurement.models)
      if (!model.failure.empty()) fail("{}: {}", model.name, model.failure);
    const RatioEstimate& ratio = *measurement.models[1].ratio;
    findings.claims += ratio.differs ? 1 : 0;
    findings.right += ratio.differs && ratio.ratio > 1 ? 1 : 0;
    findings.ratios.push_back(ratio.ratio);
    findings.disturbed_share += measurement.disturbed_share / static_cast<double>(trials);
  }
  return findings;
}

nlohmann::ordered_json row(const char* what, std::size_t trials, const Findings& findings) {
  const LatencySummary ratios = summarize_latency(findings.ratios);
  return {{"comparison", what},
          {"trials", trials},
          {"claims", findings.claims},
          {"slower", findings.right},
          {"median_ratio", ratios.median},
          {"smallest_ratio", ratios.shortest},
          {"largest_ratio", ratios.longest},
          {"disturbed_share", findings.disturbed_share}};
}

BenchReport run_selftest(const BenchOptions& options) {
  const TemporaryFolder folder;
  const std::size_t trials = options.quick ? 5 : 100;
  const Candidate plain = chain_of_layers(kLayers, folder.path()),
                  slow = chain_of_layers(kLayers + kExtraLayers, folder.path());
  const Findings same = compare_often({plain, plain}, trials, options.seed);
  const Findings planted = compare_often({plain, slow}, trials, options.seed);
  BenchReport report;
  report.rows = {row("a model and itself", trials, same), row("three percent more work", trials, planted)};
  report.summary = {{"false_claims", same.claims}, {"found", planted.right}, {"trials", trials}};
  return report;
}

const BenchRun selftest("selftest", run_selftest);

}  // namespace
}  // namespace hone
