#include <algorithm>

#include "base/child_process.h"
#include "base/error.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ops/infer.h"

// What the graph core costs: reading, inferring and writing by number of nodes, and memory by size of weights.

namespace hone {
namespace {

/// A made-up network of the given size: a chain of layers with a skip connection every eight nodes, so that the graph
/// is neither a list nor a tree, and shape arithmetic now and then.
Model chain_of_nodes(std::size_t nodes) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", 17}};
  Graph& graph = model.graph;
  graph.name = "chain";
  ValueId at = graph.add_input("x", Type::tensor(ElementType::float32, {Dim::symbol("batch"), 64}));
  const ValueId weight = graph.add_constant("weight", Tensor::zeros(ElementType::float32, {64, 64}));
  const ValueId bias = graph.add_constant("bias", Tensor::zeros(ElementType::float32, {64}));
  ValueId skip = at;
  static constexpr std::string_view kOps[] = {"MatMul", "Add", "Relu", "Sigmoid", "Mul", "Tanh", "Neg", "Add"};
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string_view op = kOps[i % 8];
    std::vector<ValueId> inputs{at};
    if (op == "MatMul") inputs.push_back(weight);
    if (op == "Mul" || (op == "Add" && i % 8 == 1)) inputs.push_back(bias);
    if (i % 8 == 7) inputs.push_back(skip);
    at = graph.add(OpName::intern("", op), inputs, {}, fmt::format("/layer{}/{}", i / 8, i % 8));
    if (i % 8 == 7) skip = at;
  }
  graph.add_output(at);
  return model;
}

struct Timing {
  double read = 0, infer = 0, write = 0;
  double total() const { return read + infer + write; }
};

/// Median of several rounds through a file.
Timing time_round_trip(std::size_t nodes, const std::filesystem::path& folder) {
  const auto file = folder / "model.onnx", copy = folder / "copy.onnx";
  onnx::write(chain_of_nodes(nodes), file);
  std::vector<Timing> rounds;
  for (int round = 0; round < 5; ++round) {
    Timing timing;
    Timer timer;
    Model model = onnx::read(file);
    timing.read = timer.seconds();
    timer = {};
    infer_types(model);
    timing.infer = timer.seconds();
    timer = {};
    onnx::write(model, copy);
    timing.write = timer.seconds();
    rounds.push_back(timing);
  }
  std::ranges::sort(rounds, {}, &Timing::total);
  return rounds[rounds.size() / 2];
}

/// Peak memory of a process that reads a model and infers its types, over the size of the file.
double peak_ratio(const std::filesystem::path& file) {
  const long peak_kib = peak_memory_of_child([&] {
    Model model = onnx::read(file);
    infer_types(model);
  });
  return static_cast<double>(peak_kib) * 1024 / static_cast<double>(std::filesystem::file_size(file));
}

/// A model of one large weight, for when no folder of real ones is given.
void write_heavy_model(const std::filesystem::path& file) {
  Model model = chain_of_nodes(8);
  model.graph.add_output(model.graph.add_constant("large", Tensor::zeros(ElementType::float32, {1 << 13, 1 << 13})));
  onnx::write(model, file);
}

/// The largest model of a folder.
std::filesystem::path largest_model(const std::filesystem::path& folder) {
  std::filesystem::path largest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) largest = entry.path();
  }
  if (largest.empty()) fail_usage("{}: there is no .onnx file in this folder", folder.string());
  return largest;
}

/// The model memory is measured on: the largest of --models, else one made here.
std::filesystem::path heavy_model(const BenchOptions& options, const std::filesystem::path& folder) {
  if (!options.models.empty()) return largest_model(options.models);
  const auto file = folder / "heavy.onnx";
  run_in_child([&] {
    write_heavy_model(file);
    return std::string();
  });
  return file;
}

BenchReport run_core(const BenchOptions& options) {
  const TemporaryFolder folder;
  // Memory first: a child starts with what its parent holds, and what follows holds a million nodes.
  const std::filesystem::path heavy = heavy_model(options, folder.path());
  BenchReport report;
  report.summary = {{"seconds_100k", 0}, {"peak_ratio", peak_ratio(heavy)}, {"peak_model", heavy.filename().string()}};
  std::vector<std::size_t> sizes{1'000, 10'000, 100'000, 1'000'000};
  if (options.quick) sizes.pop_back();
  for (const std::size_t nodes : sizes) {
    const Timing timing = time_round_trip(nodes, folder.path());
    const double per_node = timing.total() / static_cast<double>(nodes) * 1e9;
    if (nodes == 100'000) report.summary["seconds_100k"] = timing.total();
    report.summary["ns_per_node"][std::to_string(nodes)] = per_node;
    report.rows.push_back({{"nodes", nodes},
                           {"read_ms", timing.read * 1e3},
                           {"infer_ms", timing.infer * 1e3},
                           {"write_ms", timing.write * 1e3},
                           {"ns_per_node", per_node}});
  }
  return report;
}

const BenchRun core("core", run_core);

}  // namespace
}  // namespace hone
