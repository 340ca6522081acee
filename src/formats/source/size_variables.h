#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/infer_so_far.h"

namespace hone {

/// One size for each variable of a SizeVariables, in their order.
using Sizes = std::vector<std::int64_t>;

/// What is open in the inputs of a model, as variables: one for each symbol, wherever it stands, and one for each dim
/// without a name. An input without a shape has as many of these as suit the nodes that read it.
class SizeVariables {
 public:
  /// Those of a model in which all that the user gives is fixed.
  explicit SizeVariables(const Model& model);

  /// Whether the inputs leave nothing open.
  bool empty() const { return inputs_.empty(); }
  /// What such dims usually are: one of a batch, images of 224, sequences of 16.
  const Sizes& likely() const { return likely_; }
  std::vector<std::size_t> all() const;
  /// The variables that the shapes of a node's inputs depend on; all where a shape is unknown.
  std::vector<std::size_t> reaching(NodeId node) const;

  /// The shapes that give the inputs these sizes.
  FixedDims fixed(const Sizes& sizes) const;
  /// The model with these sizes; its types are to be inferred.
  Model model_with(const Sizes& sizes) const;
  /// The shapes of open inputs as they would be typed: `x:1x3x224x224 y:16`.
  std::string text(const Sizes& sizes) const;

 private:
  void name_dims(Model& model, ValueId input);
  void choose_rank(Model& model, ValueId input);
  void collect();
  std::vector<std::size_t> in(Dim dim) const;
  Shape shape(ValueId input, const Sizes& sizes) const;

  Model model_;                     // with a symbol for every variable
  Graph inferred_;                  // the same graph with types as far as they can be inferred
  std::vector<std::string> names_;  // of symbols
  std::vector<ValueId> inputs_;     // with open dims
  std::size_t unnamed_ = 0;         // dims that were without a name
  Sizes likely_;
};

}  // namespace hone
