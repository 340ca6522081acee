#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/ir/graph.h"

namespace hone::zoo {

using Integers = std::vector<std::int64_t>;

/// How a convolution or pooling window slides; every list has one entry a spatial axis, `pads` all begins, then all
/// ends. Empty strides and dilations are ones, empty pads zeros.
struct Window {
  Integers kernel;
  Integers strides = {};
  Integers pads = {};
  Integers dilations = {};

  /// The same window along two axes, padded alike on all sides.
  static Window square(std::int64_t kernel, std::int64_t stride = 1, std::int64_t pad = 0) {
    return {.kernel = {kernel, kernel}, .strides = {stride, stride}, .pads = {pad, pad, pad, pad}};
  }
  /// Every list spelled out.
  Window complete() const;
  Attributes attributes() const;
};

/// Whether a reduced axis stays as a dimension of 1.
enum class Reduced { kept, dropped };

/// Writes operators of ONNX opset 17 into a graph, one method an operator, naming nodes by scope and keeping the static
/// type of every value. All shapes must be numbers.
class Emitter {
 public:
  static constexpr std::int64_t kOpset = 17;

  /// `element` is what real-valued constants are stored as. The graph must outlive the emitter.
  Emitter(Graph& graph, ElementType element) : graph_(graph), element_(element) {}
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  Graph& graph() { return graph_; }
  ElementType element() const { return element_; }
  ElementType element_of(ValueId id) const { return graph_.value(id).type.element; }
  Dims dims(ValueId id) const;
  std::int64_t dim(ValueId id, std::int64_t axis) const;
  std::int64_t rank(ValueId id) const { return static_cast<std::int64_t>(graph_.value(id).type.shape.size()); }

  /// Names emitted while it lives begin with the path of all living scopes: `/layer1/block0/...`.
  class [[nodiscard]] Scope {
   public:
    Scope(Emitter& emitter, std::string_view name);
    ~Scope() { emitter_.path_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Emitter& emitter_;
    std::size_t length_;
  };
  Scope scope(std::string_view name) { return Scope(*this, name); }
  /// The scope's path and `name`, made distinct from every name given before.
  std::string unique_name(std::string_view name);
  /// What every node emitted from now on carries; null for nothing.
  void set_notes(SharedNotes notes) { notes_ = std::move(notes); }

  // Constants; equal ones are kept once.
  ValueId integers(const Integers& values);
  ValueId scalar(double value);
  /// A number of the same element type as `like`.
  ValueId scalar_like(ValueId like, double value);
  ValueId constant(std::string_view name, Tensor tensor);

  /// A node with one output of the given dims; its element type is that of the first input unless told.
  ValueId emit(std::string_view op, std::span<const ValueId> inputs, const Dims& dims, Attributes attributes = {},
               ElementType element = ElementType::undefined);
  ValueId emit(std::string_view op, std::initializer_list<ValueId> inputs, const Dims& dims, Attributes attributes = {},
               ElementType element = ElementType::undefined) {
    return emit(op, std::span(inputs.begin(), inputs.size()), dims, std::move(attributes), element);
  }
  /// A node with several outputs, all of the element type of the first input.
  std::vector<ValueId> emit_all(std::string_view op, std::span<const ValueId> inputs, std::span<const Dims> dims,
                                Attributes attributes = {});

  // Elementwise; two operands are broadcast.
  ValueId unary(std::string_view op, ValueId x) { return emit(op, {x}, dims(x)); }
  ValueId binary(std::string_view op, ValueId a, ValueId b);
  ValueId compare(std::string_view op, ValueId a, ValueId b);
  ValueId where(ValueId condition, ValueId a, ValueId b);
  ValueId cast(ValueId x, ElementType element);
  ValueId add(ValueId a, ValueId b) { return binary("Add", a, b); }
  ValueId sub(ValueId a, ValueId b) { return binary("Sub", a, b); }
  ValueId mul(ValueId a, ValueId b) { return binary("Mul", a, b); }
  ValueId div(ValueId a, ValueId b) { return binary("Div", a, b); }
  ValueId mul(ValueId a, double b) { return mul(a, scalar_like(a, b)); }
  ValueId add(ValueId a, double b) { return add(a, scalar_like(a, b)); }
  ValueId relu(ValueId x) { return unary("Relu", x); }
  ValueId sigmoid(ValueId x) { return unary("Sigmoid", x); }
  ValueId tanh(ValueId x) { return unary("Tanh", x); }
  ValueId exp(ValueId x) { return unary("Exp", x); }
  ValueId neg(ValueId x) { return unary("Neg", x); }
  ValueId sqrt(ValueId x) { return unary("Sqrt", x); }
  ValueId clip(ValueId x, double low, double high);

  // Products.
  ValueId matmul(ValueId a, ValueId b);
  /// a x b with either operand transposed in its last two axes (0 or 1 as in Gemm), plus `c` where given; all 2-D.
  ValueId gemm(ValueId a, ValueId b, ValueId c, std::int64_t transpose_b);
  ValueId conv(std::span<const ValueId> inputs, const Window& window, std::int64_t groups);

  // Reductions. Negative axes count from the end.
  ValueId reduce(std::string_view op, ValueId x, Integers axes, Reduced reduced = Reduced::kept);
  ValueId softmax(ValueId x, std::int64_t axis = -1) { return emit("Softmax", {x}, dims(x), {{"axis", axis}}); }
  ValueId log_softmax(ValueId x, std::int64_t axis = -1) { return emit("LogSoftmax", {x}, dims(x), {{"axis", axis}}); }
  ValueId pool(std::string_view op, ValueId x, const Window& window);
  ValueId global_average_pool(ValueId x);

  // Movement.
  /// 0 keeps a dimension, -1 takes what is left.
  ValueId reshape(ValueId x, Integers target);
  ValueId transpose(ValueId x, Integers permutation);
  /// Exchanges the last two axes.
  ValueId transpose_matrix(ValueId x);
  ValueId squeeze(ValueId x, Integers axes);
  ValueId unsqueeze(ValueId x, Integers axes);
  ValueId expand(ValueId x, const Dims& target);
  ValueId concat(std::span<const ValueId> parts, std::int64_t axis);
  ValueId concat(std::initializer_list<ValueId> parts, std::int64_t axis) {
    return concat(std::span(parts.begin(), parts.size()), axis);
  }
  std::vector<ValueId> split(ValueId x, std::int64_t axis, const Integers& sizes);
  std::vector<ValueId> split_evenly(ValueId x, std::int64_t axis, std::int64_t parts);
  ValueId slice(ValueId x, std::int64_t axis, std::int64_t begin, std::int64_t end);
  ValueId gather(ValueId x, ValueId indices, std::int64_t axis = 0);
  /// Zeros around `x`; all begins, then all ends.
  ValueId pad(ValueId x, const Integers& pads);

 protected:
  std::size_t positive_axis(ValueId id, std::int64_t axis) const;

 private:
  Graph& graph_;
  ElementType element_;
  std::string path_;
  SharedNotes notes_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::map<Integers, ValueId> integer_constants_;
  std::map<std::pair<ElementType, double>, ValueId> scalar_constants_;
};

/// Dims of the two after broadcasting.
Dims broadcast_dims(const Dims& a, const Dims& b);

}  // namespace hone::zoo
