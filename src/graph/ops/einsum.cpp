#include <algorithm>
#include <map>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/einsum_equation.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"

// Einstein summation: products of tensors summed over the axes whose label the output does not have.

namespace hone {
namespace {

using Equation = EinsumEquation;
using Label = EinsumEquation::Label;

/// Size of every label; an axis of one stretches.
std::map<Label, Dim> label_sizes(const NodeReader& node, const Equation& equation, std::span<const Shape> shapes) {
  std::map<Label, Dim> sizes;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t axis = 0; axis < shapes[i].size(); ++axis) {
      const auto [place, fresh] = sizes.try_emplace(equation.inputs[i][axis], shapes[i][axis]);
      if (!fresh) place->second = broadcast(node, Shape{place->second}, Shape{shapes[i][axis]})[0];
    }
  return sizes;
}

Shape output_shape(const NodeReader& node, const Equation& equation, const std::map<Label, Dim>& sizes) {
  Shape shape;
  for (std::size_t i = 0; i < equation.output.size(); ++i) {
    const auto size = sizes.find(equation.output[i]);
    const auto here = equation.output.begin() + static_cast<std::ptrdiff_t>(i);
    if (size == sizes.end() || std::find(equation.output.begin(), here, *here) != here)
      node.fail("the output of the equation has a label that is not in the inputs, or has it twice");
    shape.push_back(size->second);
  }
  return shape;
}

void infer_einsum(InferContext& context) {
  std::vector<std::size_t> ranks;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (context.shape(i) == nullptr) return context.output(0, context.element(0));
    shapes.push_back(*context.shape(i));
    ranks.push_back(shapes.back().size());
  }
  const Equation equation = einsum_equation(context, ranks);
  context.output(0, context.element(0), output_shape(context, equation, label_sizes(context, equation, shapes)));
}

/// The whole loop nest: output labels outside, summed labels inside, and the strides of every input along each.
struct LoopNest {
  Dims outer, inner;
  std::vector<Dims> outer_strides, inner_strides;  // by input
};

LoopNest loop_nest(const Equation& equation, const std::map<Label, Dim>& sizes,
                   std::span<const Tensor* const> tensors) {
  std::vector<Label> summed;
  for (const auto& [label, size] : sizes)
    if (std::ranges::find(equation.output, label) == equation.output.end()) summed.push_back(label);
  const auto dims_for = [&](const std::vector<Label>& labels) {
    Dims dims;
    for (const Label label : labels) dims.push_back(sizes.at(label).value());
    return dims;
  };
  LoopNest nest = {dims_for(equation.output), dims_for(summed), {}, {}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Dims own = strides_of(tensors[i]->dims());
    const auto strides_for = [&](const std::vector<Label>& labels) {
      Dims strides(labels.size(), 0);
      // A label that occurs twice walks the diagonal.
      for (std::size_t k = 0; k < labels.size(); ++k)
        for (std::size_t axis = 0; axis < own.size(); ++axis)
          if (equation.inputs[i][axis] == labels[k] && tensors[i]->dim(axis) != 1) strides[k] += own[axis];
      return strides;
    };
    nest.outer_strides.push_back(strides_for(equation.output));
    nest.inner_strides.push_back(strides_for(summed));
  }
  return nest;
}

/// Offsets of one input along a part of the nest, in row-major order.
std::vector<std::size_t> offsets_along(const Dims& dims, const Dims& strides) {
  std::vector<std::size_t> offsets;
  offsets.reserve(buffer_size(dims));
  for (StridedWalk walk(dims, {&strides}); !walk.done(); walk.next()) offsets.push_back(walk.offset(0));
  return offsets;
}

template <class T>
std::vector<T> contracted(const LoopNest& nest, std::span<const Tensor* const> tensors) {
  using Sum = detail::WideSum<T>;
  std::vector<Numbers<T>> numbers;
  std::vector<std::vector<std::size_t>> outer, inner;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    numbers.emplace_back(*tensors[i]);
    outer.push_back(offsets_along(nest.outer, nest.outer_strides[i]));
    inner.push_back(offsets_along(nest.inner, nest.inner_strides[i]));
  }
  std::vector<T> result(outer[0].size());
  std::vector<Sum> products(inner[0].size());
  for (std::size_t at = 0; at < result.size(); ++at) {
    std::fill(products.begin(), products.end(), Sum{1});
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const T* from = numbers[i].data() + outer[i][at];
      for (std::size_t k = 0; k < products.size(); ++k) products[k] *= from[inner[i][k]];
    }
    Sum sum{};
    for (const Sum product : products) sum += product;
    result[at] = static_cast<T>(sum);
  }
  return result;
}

void evaluate_einsum(EvaluateContext& context) {
  std::vector<const Tensor*> tensors;
  std::vector<Shape> shapes;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    tensors.push_back(&context.tensor(i));
    shapes.push_back(tensors.back()->shape());
    ranks.push_back(tensors.back()->rank());
    if (tensors.back()->type() != tensors[0]->type()) context.fail("the inputs have different element types");
  }
  const Equation equation = einsum_equation(context, ranks);
  const auto sizes = label_sizes(context, equation, shapes);
  const Dims dims = dims_of(output_shape(context, equation, sizes));
  const LoopNest nest = loop_nest(equation, sizes, tensors);
  const ElementType type = tensors[0]->type();
  dispatch_product(type, [&](auto sample) {
    context.output(0, tensor_of(type, dims, contracted<decltype(sample)>(nest, tensors)));
  });
}

/// One product less than there are inputs, and a sum, for every combination of labels.
double einsum_flops(const CostContext& context) {
  std::vector<std::size_t> ranks;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    shapes.push_back(context.input(i).shape);
    ranks.push_back(shapes.back().size());
  }
  double combinations = 1;
  for (const auto& [label, size] : label_sizes(context, einsum_equation(context, ranks), shapes))
    combinations *= static_cast<double>(size.value());
  return combinations * static_cast<double>(context.input_count());
}

// clang-format off
const OpFamily einsum_family({
    {.name = "Einsum", .versions = {12}, .inputs = {1, kMany}, .attributes = {text("equation")},
     .kind = OpKind::contraction, .degree = Degree::product,
     .infer = infer_einsum, .evaluate = evaluate_einsum, .flops = einsum_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
