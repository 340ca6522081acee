#include "run/profile/roofline_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "formats/onnx/write.h"
#include "graph/ops/infer.h"
#include "plan/machine/machine_file.h"
#include "run/measure/pinning.h"
#include "run/measure/statistics.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

constexpr double kBucketsPerDecade = 1.5;
constexpr std::size_t kRounds = 9;

bool judged_by_flops(OperationClass operation_class) {
  return operation_class == OperationClass::matmul || operation_class == OperationClass::convolution;
}

/// The curve through the middle of what efforts of about one size reach.
EfficiencyCurve curve_of(const std::vector<EfficiencyCurve::Point>& points) {
  std::map<long, std::vector<EfficiencyCurve::Point>> buckets;
  for (const auto& point : points) buckets[std::lround(std::log10(point.size) * kBucketsPerDecade)].push_back(point);
  std::vector<EfficiencyCurve::Point> middles;
  for (const auto& [place, bucket] : buckets) {
    std::vector<double> sizes, efficiencies;
    for (const auto& point : bucket) {
      sizes.push_back(point.size);
      efficiencies.push_back(point.efficiency);
    }
    middles.push_back({median(sizes), median(efficiencies)});
  }
  return EfficiencyCurve(std::move(middles));
}

/// Operators of every class and of many sizes side by side, from what fits the first cache to what fits none.
class ProbeModel {
 public:
  ProbeModel() {
    model_.ir_version = 8;
    model_.opsets.imports = {{"", 17}};
    model_.graph.name = "probes";
    for (const std::int64_t n : {16, 32, 64, 128, 256, 512, 768}) add("MatMul", {n, n}, {n, n});
    static constexpr std::pair<std::int64_t, std::int64_t> kImages[] = {{8, 8},   {16, 14},  {32, 28},  {64, 28},
                                                                        {64, 56}, {128, 28}, {256, 14}, {128, 56}};
    for (const auto& [channels, size] : kImages) add("Conv", {1, channels, size, size}, {channels, channels, 3, 3});
    for (std::int64_t rows = 32; rows <= 1 << 17; rows *= 8) {
      add("Add", {rows, 64}, {64});
      for (const char* op : {"Sigmoid", "ReduceMax", "Softmax", "Transpose"}) add(op, {rows, 64}, {});
    }
    infer_types(model_);
  }
  const Model& model() const { return model_; }

 private:
  void add(const char* op, const Dims& input, const Dims& weight) {
    Graph& graph = model_.graph;
    const std::string number = fmt::to_string(graph.node_count());
    Shape shape;
    for (const std::int64_t dim : input) shape.push_back(dim);
    std::vector<ValueId> operands{graph.add_input("x" + number, Type::tensor(ElementType::float32, shape))};
    if (!weight.empty())
      operands.push_back(graph.add_constant("w" + number, Tensor::zeros(ElementType::float32, weight)));
    Attributes attributes;
    if (std::string_view(op) == "ReduceMax")
      attributes.push_back({.name = "axes", .value = std::vector<std::int64_t>{1}});
    graph.add_output(graph.add(OpName::intern("", op), operands, std::move(attributes), op + number));
  }

  Model model_;
};

/// What the child that times operators reports.
std::string time_probes(const Runtime& runtime, std::size_t threads) {
  pin_process(threads);
  const TemporaryFolder folder;
  const ProbeModel probes;
  const auto file = folder.path() / "probes.onnx";
  onnx::write(probes.model(), file);
  const std::unique_ptr<RuntimeHost> host = runtime.start(threads);
  const ObservedGraph observed = observe_optimized(*host, {probes.model(), file}, random_inputs(probes.model(), 0));
  GraphProfiler profiler(*host, observed, {.threads = threads});
  for (std::size_t i = 0; i < kRounds; ++i) profiler.round();
  ProfileTable table;
  const GraphProfile profile = profiler.finish(table);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [effort, seconds] : timed_efforts(profile, profiler.context(), table))
    list.push_back({static_cast<int>(effort.operation_class), effort.flops, effort.bytes, seconds});
  return list.dump();
}

}  // namespace

DeviceKind fit_efficiency(DeviceKind kind, std::span<const TimedEffort> timings) {
  std::map<OperationClass, std::vector<EfficiencyCurve::Point>> points;
  for (const auto& [effort, seconds] : timings) {
    const double amount = judged_by_flops(effort.operation_class) ? effort.flops : effort.bytes;
    const double peak =
        judged_by_flops(effort.operation_class) ? kind.peak_flops(effort.element) : kind.bytes_per_second;
    const double busy = seconds - kind.launch_seconds;
    if (amount <= 0 || seconds <= 0 || peak <= 0) continue;
    // What is shorter than a launch says nothing but that it is short.
    points[effort.operation_class].push_back({amount, amount / std::max(busy, seconds / 4) / peak});
  }
  for (const auto& [operation_class, list] : points) {
    const auto place = static_cast<std::size_t>(operation_class);
    if (operation_class == OperationClass::view || operation_class == OperationClass::opaque ||
        operation_class == OperationClass::collective)
      continue;
    (judged_by_flops(operation_class) ? kind.flops_efficiency : kind.bytes_efficiency)[place] = curve_of(list);
    kind.is_measured[place] = true;
  }
  return kind;
}

std::vector<TimedEffort> timed_efforts(const GraphProfile& profile, const ProfileContext& context,
                                       const ProfileSource& source) {
  std::vector<TimedEffort> timings;
  for (const ProfiledNode& node : profile.nodes) {
    const auto record = source.find(context, node.config);
    if (!record) continue;
    timings.push_back({.effort = {.operation_class = node.operation_class,
                                  .flops = node.flops,
                                  .bytes = node.activation_bytes + node.weight_bytes},
                       .seconds = record->seconds});
  }
  return timings;
}

std::vector<TimedEffort> time_operators(const Runtime& runtime, std::size_t threads) {
  const auto found = nlohmann::json::parse(text_of_child([&] { return time_probes(runtime, threads); }));
  std::vector<TimedEffort> timings;
  for (const auto& each : found)
    timings.push_back({.effort = {.operation_class = static_cast<OperationClass>(each[0].get<int>()),
                                  .flops = each[1],
                                  .bytes = each[2]},
                       .seconds = each[3]});
  return timings;
}

std::string describe_calibrated_on(const Runtime& runtime, double thoroughness) {
  const std::string version = runtime.version();
  const Processor processor = detect_processor();
  const DeviceKind kind =
      fit_efficiency(calibrate_device(processor, thoroughness), time_operators(runtime, processor.threads));
  return fmt::format(
             "# flops, bytes_per_second and launch_seconds are measured with loops; curves marked so are those of "
             "operators on {}{}{}.\n",
             runtime.title(), version.empty() ? "" : " ", version) +
         toml_of_device(kind, "this-machine", processor.model);
}

std::string describe_calibrated_without(const Runtime& runtime, double thoroughness) {
  return fmt::format("# With {} (`{}`) operators are timed as well.\n", runtime.title(), runtime.install_command()) +
         describe_calibrated(thoroughness);
}

}  // namespace hone
