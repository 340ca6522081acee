#include <malloc.h>

#include <algorithm>
#include <functional>

#include "base/allocation_count.h"
#include "base/child_process.h"
#include "base/error.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ops/infer.h"
#include "run/runtime/runtime.h"
#include "run/verify/inputs.h"
#include "zoo/registry.h"

// What models take on hone's own executor, each in a process of its own: memory beside what it has to hold, allocations
// of a run, and operators that run by their definitions for want of code.

namespace hone {
namespace {

struct MemoryFigures {
  double peak_mb = 0, held_mb = 0;
  std::uint64_t allocations = 0;  // of the second run
  std::size_t by_definition = 0;  // operators
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
  MemoryFigures figures{.allocations = allocation_count() - before, .by_definition = prepared->notes().size()};
  figures.peak_mb = static_cast<double>(peak_memory()) / 1024;
  figures.held_mb = static_cast<double>(prepared->held_bytes()) / (1 << 20);
  return figures;
}

MemoryFigures figures_of(const std::function<Model()>& make, std::uint64_t seed) {
  const std::string text = text_of_child([&] {
    const MemoryFigures figures = run_twice(make, seed);
    return nlohmann::json{{"peak", figures.peak_mb},
                          {"held", figures.held_mb},
                          {"allocations", figures.allocations},
                          {"by_definition", figures.by_definition}}
        .dump();
  });
  const auto json = nlohmann::json::parse(text);
  return {.peak_mb = json.at("peak"),
          .held_mb = json.at("held"),
          .allocations = json.at("allocations"),
          .by_definition = json.at("by_definition")};
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

/// `excess_mb` is by how much the peak over that of an empty model is more than packed constants and memory to work in.
nlohmann::ordered_json memory_row(const std::filesystem::path& file, std::uint64_t seed) {
  const MemoryFigures none = figures_of(empty_model, seed);
  const MemoryFigures some = figures_of([&] { return onnx::read(file); }, seed);
  return {{"model", file.stem().string()},   {"held_mb", some.held_mb},
          {"peak_mb", some.peak_mb},         {"excess_mb", some.peak_mb - none.peak_mb - some.held_mb},
          {"allocations", some.allocations}, {"by_definition", some.by_definition}};
}

/// By way of a file, as models come, and made in another process: what building it takes is not what running it takes.
nlohmann::ordered_json zoo_row(const std::string& name, std::uint64_t seed) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / (name + ".onnx");
  text_of_child([&] {
    onnx::write(build_zoo(name), file);
    return std::string("written");
  });
  return memory_row(file, seed);
}

std::vector<nlohmann::ordered_json> memory_rows(const BenchOptions& options) {
  std::vector<nlohmann::ordered_json> rows;
  if (!options.models.empty())
    for (const auto& file : model_files(options)) rows.push_back(memory_row(file, options.seed));
  else
    for (const zoo::ZooModel* each : zoo::zoo_models())
      if (each->name.find(options.filter) != std::string::npos) rows.push_back(zoo_row(each->name, options.seed));
  if (rows.empty()) fail_usage("no model of the zoo has '{}' in its name", options.filter);
  return rows;
}

BenchReport run_native_memory(const BenchOptions& options) {
  BenchReport report;
  std::size_t lean = 0, by_definition = 0;
  std::uint64_t allocations = 0;
  report.rows = memory_rows(options);
  for (const auto& row : report.rows) {
    lean += is_lean(row) ? 1 : 0;
    by_definition += row.at("by_definition").get<std::size_t>();
    allocations = std::max(allocations, row.at("allocations").get<std::uint64_t>());
  }
  report.summary = {{"models", report.rows.size()},
                    {"lean", lean},
                    {"most_allocations", allocations},
                    {"by_definition", by_definition}};
  return report;
}

const BenchRun native_memory_bench("native-memory", run_native_memory);

}  // namespace
}  // namespace hone
