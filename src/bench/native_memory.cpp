#include "bench/native_memory.h"

#include <malloc.h>

#include <algorithm>

#include "base/allocation_count.h"
#include "base/child_process.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "run/runtime/runtime.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

struct MemoryFigures {
  double peak_mb = 0, held_mb = 0;
  std::uint64_t allocations = 0;
};

/// A model made ready with inputs; the model itself is not kept, as whoever only runs it does not.
std::unique_ptr<PreparedModel> made_ready(const RuntimeHost& host, const std::function<Model()>& make,
                                          std::uint64_t seed) {
  Model model = make();
  infer_types(model);
  auto prepared = host.prepare({model, {}}, {});
  prepared->set_inputs(given_inputs(model, {}, seed));
  return prepared;
}

MemoryFigures run_twice(const std::function<Model()>& make, std::uint64_t seed) {
  const auto host = RuntimeKind::named("native").make("")->start(1);
  const auto prepared = made_ready(*host, make, seed);
  ::malloc_trim(0);
  prepared->run();
  const std::uint64_t before = allocation_count();
  prepared->run();
  MemoryFigures figures{.allocations = allocation_count() - before};
  figures.peak_mb = static_cast<double>(peak_memory()) / 1024;
  figures.held_mb = static_cast<double>(prepared->held_bytes()) / (1 << 20);
  return figures;
}

MemoryFigures figures_of(const std::function<Model()>& make, std::uint64_t seed) {
  const std::string text = text_of_child([&] {
    const MemoryFigures figures = run_twice(make, seed);
    return nlohmann::json{{"peak", figures.peak_mb}, {"held", figures.held_mb}, {"allocations", figures.allocations}}
        .dump();
  });
  const auto json = nlohmann::json::parse(text);
  return {.peak_mb = json.at("peak"), .held_mb = json.at("held"), .allocations = json.at("allocations")};
}

Model empty_model() {
  Model model;
  model.opsets.imports = {{"", 18}};
  const ValueId x = model.graph.add_input("x", Type::tensor(ElementType::float32, {Dim(1)}));
  model.graph.add_output(model.graph.add(OpName::intern("", "Relu"), std::vector<ValueId>{x}));
  return model;
}

/// Within 5 % or 8 MB of what is held.
bool is_lean(const nlohmann::ordered_json& row) {
  return row.at("excess_mb").get<double>() <= std::max(8.0, 0.05 * row.at("held_mb").get<double>());
}

BenchReport run_native_memory(const BenchOptions& options) {
  BenchReport report;
  std::size_t lean = 0;
  std::uint64_t allocations = 0;
  for (const auto& file : model_files(options)) {
    report.rows.push_back({{"model", file.stem().string()}});
    report.rows.back().update(native_memory(file, options.seed));
    lean += is_lean(report.rows.back()) ? 1 : 0;
    allocations = std::max(allocations, report.rows.back().at("allocations").get<std::uint64_t>());
  }
  report.summary = {{"models", report.rows.size()}, {"lean", lean}, {"most_allocations", allocations}};
  return report;
}

const BenchRun native_memory_bench("native-memory", run_native_memory);

}  // namespace

nlohmann::ordered_json native_memory(const std::filesystem::path& file, std::uint64_t seed) {
  const MemoryFigures none = figures_of(empty_model, seed);
  const MemoryFigures some = figures_of([&] { return onnx::read(file); }, seed);
  return {{"held_mb", some.held_mb},
          {"peak_mb", some.peak_mb},
          {"excess_mb", some.peak_mb - none.peak_mb - some.held_mb},
          {"allocations", some.allocations}};
}

}  // namespace hone
