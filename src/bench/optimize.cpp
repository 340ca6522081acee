#include <cmath>

#include "base/error.h"
#include "bench/bench_case.h"
#include "bench/model_files.h"
#include "deliver/delivery.h"
#include "onnx/read.h"
#include "ops/infer.h"

// What `hone optimize` makes of models, against ONNX Runtime with all its optimisations, at one and two threads.

namespace hone {
namespace {

constexpr std::size_t kThreadCounts[] = {1, 2};
constexpr double kQuickSeconds = 1;

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

bool is_slower(const Delivery& delivery) {
  return delivery.whole && delivery.whole->differs && delivery.whole->ratio > 1;
}

nlohmann::ordered_json row_of(const std::string& model, std::size_t threads, const Delivery& delivery) {
  nlohmann::ordered_json row{{"model", model},
                             {"threads", threads},
                             {"original_ms", delivery.measurement->models[0].latency.median * 1e3},
                             {"hone_ms", delivery.measurement->models[1].latency.median * 1e3},
                             {"speedup", speedup_of(delivery.whole)},
                             {"low", delivery.whole ? 1 / delivery.whole->high : 1},
                             {"high", delivery.whole ? 1 / delivery.whole->low : 1},
                             {"model_alone", speedup_of(delivery.model_part)},
                             {"options_alone", speedup_of(delivery.runtime_part)},
                             {"bought_by", bought_by(delivery)},
                             {"verified", delivery.correct()}};
  return row;
}

Delivery optimize_file(const std::filesystem::path& file, std::size_t threads, const BenchOptions& options) {
  const Model model = onnx::read(file);
  DeliveryRequest request{.runtime = RuntimeKind::onnxruntime, .threads = threads, .seed = options.seed};
  request.make_static = [](Model& each) { infer_types(each); };
  if (options.quick) request.seconds = kQuickSeconds;
  return deliver(model, request);
}

BenchReport run_optimize(const BenchOptions& options) {
  ort::Library::load();  // says what is missing before anything is measured
  BenchReport report;
  std::size_t slower = 0;
  for (const std::size_t threads : kThreadCounts) {
    double logarithms = 0;
    const std::vector<std::filesystem::path> files = model_files(options);
    for (const auto& file : files) {
      const Delivery delivery = optimize_file(file, threads, options);
      report.rows.push_back(row_of(file.stem().string(), threads, delivery));
      slower += is_slower(delivery) ? 1 : 0;
      logarithms += std::log(speedup_of(delivery.whole));
    }
    report.summary[fmt::format("geomean_{}t", threads)] = std::exp(logarithms / static_cast<double>(files.size()));
  }
  report.summary["slower"] = slower;
  return report;
}

const BenchCase optimize("optimize",
                         "What `hone optimize` gains over ONNX Runtime with all optimisations (--models DIR)",
                         run_optimize);

}  // namespace
}  // namespace hone
