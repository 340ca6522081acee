#pragma once

#include <string>
#include <vector>

#include "graph/ir/model.h"

namespace hone {

/// What rules need to know of the model around a graph.
struct RuleSetting {
  Opsets opsets;
  /// Whether a caller may override initialisers that are inputs as well (from IR version 4 on); such are no constants.
  enum class Defaults { overridable, fixed } defaults = Defaults::overridable;
  std::vector<std::string> domains;  // beyond ONNX's own, those whose operators may be introduced

  /// The setting of a model; every domain in `allowed` counts as imported, at its first version where the model does
  /// not say.
  static RuleSetting of(const Model& model, std::vector<std::string> allowed = {});
};

/// Whether the value is the same in every run: a constant, or computed from constants alone.
bool is_fixed(const Graph& graph, ValueId id, RuleSetting::Defaults defaults);

/// The contents of a fixed value that is stored, null when there are none.
const Tensor* fixed_contents(const Graph& graph, ValueId id, RuleSetting::Defaults defaults);

}  // namespace hone
