#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/infer.h"

namespace hone {

/// What a model is made of and what it costs. Figures that need static shapes are absent when some are not.
struct ModelSummary {
  /// An input or output.
  struct Port {
    std::string name, type;
    bool has_default = false;
  };
  /// All nodes of one operator.
  struct Operator {
    std::string name, kind;
    std::size_t count = 0;
    double flops = 0, bytes = 0;
  };
  /// Something hone cannot look into or run, and why.
  struct Obstacle {
    std::string what, why;
  };

  std::string model, producer;
  std::optional<std::int64_t> ir_version;
  std::vector<std::pair<std::string, std::int64_t>> opsets;
  std::size_t nodes = 0, functions = 0;
  double parameters = 0, parameter_bytes = 0;
  std::optional<double> flops, activation_bytes;
  std::vector<Port> inputs, outputs;
  std::vector<std::string> dynamic_dims;
  std::size_t values_of_unknown_shape = 0;
  std::vector<Obstacle> unrunnable;  // branches
  std::vector<Obstacle> opaque;      // operators
  std::vector<Operator> operators;   // those with most arithmetic first
};

/// How many nodes a configuration that a model was annotated with places on which device.
struct PlacementSummary {
  std::string configuration;
  std::vector<std::pair<std::string, std::size_t>> nodes;  // by device
  std::size_t nodes_on_several = 0;
};

/// Sums up a model; `known` is what inferring its types gave.
ModelSummary summarize(const Model& model, const KnownContents& known);

nlohmann::ordered_json summary_json(const ModelSummary& summary, const std::vector<PlacementSummary>& placements);
/// The same for people.
std::string summary_text(const ModelSummary& summary, const std::vector<PlacementSummary>& placements);

}  // namespace hone
