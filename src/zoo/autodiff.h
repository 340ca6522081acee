#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/registered.h"
#include "zoo/emitter.h"

namespace hone::zoo {

class Backward;

/// What a gradient rule sees of one node of the forward graph, and where it leaves the gradients of the node's inputs.
class GradientContext {
 public:
  GradientContext(Backward& backward, NodeId id);

  Emitter& emit() const;
  const Node& node() const { return node_; }
  std::size_t input_count() const { return node_.written_inputs().size(); }
  ValueId input(std::size_t i) const { return i < input_count() ? node_.inputs[i] : ValueId(); }
  ValueId output(std::size_t i = 0) const { return node_.outputs[i]; }
  Dims input_dims(std::size_t i) const { return emit().dims(input(i)); }
  /// Gradient of the loss by output `i`; zeros when the loss does not depend on it.
  ValueId gradient(std::size_t i = 0) const;

  /// Whether somebody needs the gradient of input `i`.
  bool wants(std::size_t i) const;
  /// Adds to the gradient of input `i`; what broadcasting stretched is summed back to the input's dims.
  void give(std::size_t i, ValueId gradient) const;

  // Attributes with ONNX's default.
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double number(std::string_view name, double fallback) const;
  std::string_view text(std::string_view name, std::string_view fallback) const;
  Integers integers(std::string_view name) const;
  /// Contents of an input that must be a constant.
  Integers constant_integers(std::size_t i) const;

  /// Throws InputError: `Slice 'x': no gradient ...`.
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  Backward& backward_;
  NodeId id_;
  Node node_;  // a copy: emitting moves the graph's own
};

/// How the gradient flows back through one operator.
struct GradientRule {
  std::string_view op;
  void (*backward)(const GradientContext&) = nullptr;  // null when its outputs do not change smoothly with any input
};

/// Rules that join the table by existing: define one at namespace scope in the family's file.
class GradientFamily : public RegisteredTable<GradientFamily, GradientRule> {
 public:
  using RegisteredTable::RegisteredTable;
};

/// Adds to the emitter's graph, in reverse mode, what computes the gradient of the one-element value `loss` by each
/// `wanted` value; zeros for those it does not depend on. Only standard operators are used. All types must be static;
/// nodes are named `/gradient` and the name of the forward node they come from. Throws InputError naming a node on the
/// way whose operator has no rule.
std::vector<ValueId> add_gradients(Emitter& emitter, ValueId loss, std::span<const ValueId> wanted);

/// Sums `gradient` over the axes along which a value of `dims` was stretched to the gradient's dims.
ValueId sum_to(Emitter& emitter, ValueId gradient, const Dims& dims);
/// The value under the given dims; itself when it has them.
ValueId reshape_to(Emitter& emitter, ValueId x, const Dims& dims);

/// Where the gradient of a sliding window goes.
struct Spread {
  Window window;
  std::int64_t groups = 1;
  Dims dims;  // of what the window slid over
};

/// Gradient of a convolution by its input: a transposed convolution with the same filters.
ValueId spread_windows(Emitter& emitter, ValueId gradient, ValueId filters, const Spread& spread);

}  // namespace hone::zoo
