#pragma once

#include <string>
#include <utility>

#include "base/random.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ir/node_notes.h"
#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "plan/emit/placement.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/lower.h"

namespace hone {

/// A model with all its types and a plan that puts each node on a random device with a random priority.
struct PlacedCase {
  Model model;
  Workload workload;
  Machine machine;
  Plan plan;
  Execution execution;
  Placement placement;
};

inline Plan random_plan(const Workload& workload, const Machine& machine, std::uint64_t seed) {
  Rng rng(seed);
  Plan plan;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    plan.device_of.emplace_back(rng.below(machine.device_count()));
    plan.priority.push_back(static_cast<float>(rng.uniform()));
  }
  return plan;
}

/// The model as it comes back from a file.
inline Model read_again(const Model& model) {
  const auto bytes = std::make_shared<const std::string>(onnx::encode(model));
  return onnx::read(std::as_bytes(std::span(bytes->data(), bytes->size())), bytes, "file", ".");
}

inline PlacedCase placed_case(Model model, const std::string& machine_name, std::uint64_t seed) {
  PlacedCase result{.model = std::move(model), .machine = load_machine(machine_name)};
  infer_types(result.model);
  result.workload = lower(result.model);
  result.plan = random_plan(result.workload, result.machine, seed);
  result.execution = carry_out(result.workload, result.machine, result.plan);
  result.placement = place_nodes(result.model.graph, result.execution);
  return result;
}

/// Four nodes and a constant on a CPU (first, third) and a GPU.
inline PlacedCase small_case() {
  PlacedCase placed = placed_case(parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x) => (y, z) {
      k = Constant <value = float[2] {1, 2}> ()
      a = Add (x, k) b = Neg (a) z = Abs (b) y = Mul (a, b) })",
                                              "text"),
                                  "cpu-gpu", 0);
  placed.plan.device_of = {DeviceId(0), DeviceId(1), DeviceId(0), DeviceId(1)};
  placed.plan.priority = {0, 0, 0, 0};
  placed.execution = carry_out(placed.workload, placed.machine, placed.plan);
  placed.placement = place_nodes(placed.model.graph, placed.execution);
  return placed;
}

/// What the node behind an output notes under a key.
inline std::string metadata(const Model& model, std::string_view output, std::string_view key) {
  const Node& node = model.graph.node(model.graph.value(*model.graph.find_value(output)).producer);
  for (const auto& [name, value] : node.notes->metadata)
    if (name == key) return value;
  return "none";
}

}  // namespace hone
