#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/infer_context.h"

// What all pointwise operators share: an operator is a scalar function, the element types it is defined for, and a row
// in its family's table.

namespace hone {

/// The element types an operator accepts, by the C++ types that store them.
template <class... Ts>
struct ElementTypes {};

using FloatTypes = ElementTypes<float, double, Float16, BFloat16>;
using UnsignedTypes = ElementTypes<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using IntegerTypes = ElementTypes<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                  std::uint32_t, std::uint64_t>;
using NumberTypes = ElementTypes<float, double, Float16, BFloat16, std::int8_t, std::int16_t, std::int32_t,
                                 std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using BooleanTypes = ElementTypes<bool>;
using AllTypes = ElementTypes<float, double, Float16, BFloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                              std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool, std::string>;

/// Calls visit(T{}) with the one of the types that stores elements of `type`; fails when none does.
template <class Visitor, class... Ts>
void dispatch(const NodeReader& node, ElementType type, ElementTypes<Ts...>, Visitor&& visit) {
  const bool found = ((type == kElementType<Ts> && (visit(Ts{}), true)) || ...);
  if (!found) node.fail("is not defined for elements of type {}", name_of(type));
}

/// The type in which scalar functions see elements stored as T: halves as floats.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float,
                                    std::conditional_t<std::is_same_v<T, std::string>, const std::string&, T>>;

/// A stored element as scalar functions see it. A bool is true for any byte but 0, whatever the file had.
template <class T>
Computed<T> computed(const T& stored) {
  if constexpr (std::is_same_v<T, bool>) return reinterpret_cast<const unsigned char&>(stored) != 0;
  else return static_cast<Computed<T>>(stored);
}

/// The operand for sums and products: integers as uint64, in which they wrap as in their own type; others as they are.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(value);
  else return value;
}

/// Runs through up to three operands broadcast to one shape. Axes along which all of them lie alike are joined, so that
/// equal shapes and scalars are a single run; along a run each operand steps by one element or stands still.
class BroadcastRuns {
 public:
  static constexpr std::size_t kMaxOperands = 3;

  BroadcastRuns(const NodeReader& node, std::initializer_list<Dims> operands);

  const Dims& dims() const { return dims_; }
  bool done() const { return walk_.done(); }
  void next() { walk_.next(); }
  /// Elements of one run.
  std::size_t length() const { return axes_.length; }
  /// Where the run starts in the result.
  std::size_t position() const { return walk_.position() * axes_.length; }
  /// Where it starts in an operand.
  std::size_t offset(std::size_t operand) const { return walk_.offset(operand); }
  /// How far an operand moves for each element of the run: 0 or 1.
  std::size_t step(std::size_t operand) const { return axes_.steps[operand]; }

 private:
  struct Axes {
    Dims outer;
    Dims outer_strides[kMaxOperands];
    std::size_t length = 1;
    std::size_t steps[kMaxOperands] = {};
  };
  static Dims broadcast_all(const NodeReader& node, std::initializer_list<Dims> operands);
  static Axes joined_axes(const Dims& target, std::initializer_list<Dims> operands);

  Dims dims_;
  Axes axes_;
  StridedWalk walk_;
};

/// One operand along a run.
template <class T>
struct RunOperand {
  const T* first;
  std::size_t step;
};

/// Applies a scalar function to broadcast tensors: Pointwise<bool(T, T)>::apply(context, less, a, b). The signature
/// names the stored types.
template <class Signature>
struct Pointwise;

template <class Out, class... In>
struct Pointwise<Out(In...)> {
  template <class Function>
  static Tensor apply(const NodeReader& node, Function function, const std::same_as<Tensor> auto&... operands) {
    BroadcastRuns runs(node, {operands.dims()...});
    Tensor result = Tensor::zeros(kElementType<Out>, runs.dims());
    walk(runs, result.write<Out>(), function, std::index_sequence_for<In...>{}, operands.template values<In>()...);
    return result;
  }

 private:
  template <class Function, std::size_t... k>
  static void walk(BroadcastRuns& runs, std::span<Out> out, Function function, std::index_sequence<k...>,
                   std::span<const In>... in) {
    for (; !runs.done(); runs.next())
      run(out.subspan(runs.position(), runs.length()), function,
          RunOperand<In>{in.data() + runs.offset(k), runs.step(k)}...);
  }

  template <class Function>
  static void run(std::span<Out> out, Function function, RunOperand<In>... in) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<Out>(function(computed(in.first[i * in.step])...));
  }
};

/// Gives output 0 = function(input 0) for each element.
template <class Types, class Function>
void evaluate_unary(EvaluateContext& context, Function function) {
  dispatch(context, context.tensor(0).type(), Types{}, [&](auto zero) {
    using T = decltype(zero);
    context.output(0, Pointwise<T(T)>::apply(context, function, context.tensor(0)));
  });
}

/// The second operand of a binary operator with the axes that opsets before 7 may leave out at its end.
Tensor legacy_aligned(const NodeReader& node, const Tensor& a, const Tensor& b);

/// The two operands of a binary operator, of one element type, ready to be broadcast.
struct BinaryOperands {
  Tensor a, b;
};
BinaryOperands binary_operands(const EvaluateContext& context);

/// Gives output 0 = function(input 0, input 1) for each pair of elements.
template <class Types, class Function>
void evaluate_binary(EvaluateContext& context, Function function) {
  const BinaryOperands operands = binary_operands(context);
  dispatch(context, operands.a.type(), Types{}, [&](auto zero) {
    using T = decltype(zero);
    context.output(0, Pointwise<T(T, T)>::apply(context, function, operands.a, operands.b));
  });
}

/// The same for functions that answer yes or no.
template <class Types, class Function>
void evaluate_comparison(EvaluateContext& context, Function function) {
  const BinaryOperands operands = binary_operands(context);
  dispatch(context, operands.a.type(), Types{}, [&](auto zero) {
    using T = decltype(zero);
    context.output(0, Pointwise<bool(T, T)>::apply(context, function, operands.a, operands.b));
  });
}

/// Output 0 has the type of input 0.
void infer_like_input(InferContext& context);
/// Output 0 has the shape of input 0 and elements of the given type.
void infer_like_input(InferContext& context, ElementType element);

/// Output 0 has the broadcast shape of all inputs and their element type.
void infer_broadcast(InferContext& context);
/// The same with elements of the given type.
void infer_broadcast(InferContext& context, ElementType element);

/// Sets output 0's contents to `change` of those of input 0, where known. Call it after the output's type is set.
void infer_contents(InferContext& context, Dim (*change)(Dim));
/// Sets output 0's contents to `combine` of the contents of two inputs, where both are known to some degree and lie
/// element by element. Call it after the output's type is set.
void infer_contents(InferContext& context, Dim (*combine)(Dim, Dim));

/// infer_broadcast, and contents of integers by symbolic arithmetic.
template <Dim (*combine)(Dim, Dim)>
void infer_arithmetic(InferContext& context) {
  infer_broadcast(context);
  infer_contents(context, combine);
}

/// The same for operators that answer yes (1) or no (0).
template <Dim (*combine)(Dim, Dim)>
void infer_comparison(InferContext& context) {
  infer_broadcast(context, ElementType::boolean);
  infer_contents(context, combine);
}

/// The element type whose number an attribute holds.
ElementType element_type_attribute(const NodeReader& node, std::string_view name);

/// One operation for each input after the first, for each output element.
double flops_of_fold(const CostContext& context);

/// A pointwise operator of one input whose output has the input's type.
OpEntry unary_operator(std::string_view name, std::vector<int> versions, void (*evaluate)(EvaluateContext&),
                       std::vector<AttributeSpec> attributes = {});

/// The attributes with which binary operators aligned their operands before opset 7.
std::vector<AttributeSpec> legacy_broadcast_attributes();

}  // namespace hone
