#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/registered.h"
#include "graph/ir/model.h"
#include "graph/loops/loop_body.h"
#include "graph/ops/op.h"

namespace hone {

/// Which element of a dense array belongs to a point: `offset` plus, for each axis, the index times a stride.
struct LoopRead {
  std::int64_t offset = 0;
  Dims strides;
};

/// One output of an operator as a loop: for every point of `space`, elements of its inputs go through `body`, which
/// gives the element that is written, one for all points that differ in folded axes only where it folds them.
struct OperatorLoop {
  Dims space;
  std::vector<std::size_t> folded;  // axes of `space` whose points make a row; ascending
  std::vector<std::size_t> inputs;  // of the node, that `body` is given
  std::vector<LoopRead> reads;      // by entry of `inputs`
  Dims writes;                      // strides in the dense output, by axis of `space`
  std::function<LoopValue(LoopBody&, std::span<const LoopValue>)> body;  // none: the first input as it is
  LoopType reals = LoopType::real;                                       // that constants of `body` are
};

/// What an operator says of itself as a loop sees: attributes, types and constant inputs.
class LoopContext : public NodeReader {
 public:
  LoopContext(const Graph& graph, const OpEntry& entry, const Node& node, int version)
      : NodeReader(entry, node, version), graph_(graph) {}

  Dims dims(std::size_t input) const { return dims_of(node().inputs[input]); }
  Dims output_dims(std::size_t output) const { return dims_of(node().outputs[output]); }
  ElementType element(std::size_t input) const { return graph_.value(node().inputs[input]).type.element; }
  ElementType output_element(std::size_t output) const { return graph_.value(node().outputs[output]).type.element; }
  /// Null when it is not constant.
  const Tensor* constant(std::size_t input) const;
  /// An input that is a single constant number; nothing else has a value.
  std::optional<double> number_input(std::size_t input) const;
  /// A constant list of integers.
  std::optional<std::vector<std::int64_t>> integers_input(std::size_t input) const;

 private:
  Dims dims_of(ValueId id) const;

  const Graph& graph_;
};

/// How one operator describes itself.
struct LoopEntry {
  std::string_view name;
  /// The loop of an output; nothing where it is not one with these attributes, types or inputs.
  std::optional<OperatorLoop> (*describe)(const LoopContext& context, std::size_t output) = nullptr;
  std::string_view domain = "";
};

/// A table of operators that describe themselves as loops; defined at namespace scope.
class LoopFamily : public RegisteredTable<LoopFamily, LoopEntry> {
 public:
  using RegisteredTable::RegisteredTable;
};

/// Whether loops compute with elements of this type as reals.
bool is_loop_real(ElementType element);

/// The loop of one output of a node with static types; nothing where the operator has none, or computes with elements
/// that loops do not have.
std::optional<OperatorLoop> operator_loop(const Graph& graph, NodeId id, const Opsets& opsets, std::size_t output = 0);

/// A loop over the output's elements that reads all inputs broadcast.
OperatorLoop pointwise_loop(const LoopContext& context,
                            std::function<LoopValue(LoopBody&, std::span<const LoopValue>)> body);

}  // namespace hone
