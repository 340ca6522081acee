#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "graph/ops/cost_context.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"

// For tests of operators: one node, run or inferred by itself.

namespace hone {

using Ints = std::vector<std::int64_t>;

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// An input that is left out.
inline const Tensor kNone;

/// A node under test.
struct OneNode {
  std::string_view op;
  int opset = 24;
  Attributes attributes = {};
  std::size_t outputs = 1;
  std::string_view domain = "";
};

/// A node of ONNX Runtime's own domain.
inline OneNode contrib(std::string_view op, Attributes attributes = {}, std::size_t outputs = 1) {
  return {.op = op, .attributes = std::move(attributes), .outputs = outputs, .domain = "com.microsoft"};
}

inline Attribute attribute(std::string name, AttributeValue value) {
  return {.name = std::move(name), .value = std::move(value), .reference = {}, .notes = {}};
}
/// An attribute that is a whole number.
inline Attribute whole(std::string name, std::int64_t value) { return attribute(std::move(name), value); }
/// An attribute that is a word.
inline Attribute choice(std::string name, const char* value) { return attribute(std::move(name), std::string(value)); }

/// A model of the one node; omitted inputs have no type.
inline Model model_of(const OneNode& node, const std::vector<Type>& inputs) {
  Model model;
  model.opsets.imports = {{"", node.opset}};
  if (!node.domain.empty()) model.opsets.imports.emplace_back(node.domain, 1);
  std::vector<ValueId> values, results;
  for (const Type& type : inputs)
    values.push_back(type.kind == Type::Kind::unknown
                         ? ValueId()
                         : model.graph.add_input("x" + std::to_string(values.size()), type));
  for (std::size_t i = 0; i < node.outputs; ++i) {
    results.push_back(model.graph.add_value("y" + std::to_string(i)));
    model.graph.add_output(results.back());
  }
  model.graph.add_node(OpName::intern(node.domain, node.op), values, results, node.attributes);
  return model;
}

/// What was inferred is true of the tensor.
inline void expect_fits(const Type& type, const Tensor& tensor) {
  EXPECT_EQ(type.element, tensor.type());
  if (!type.ranked) return;
  ASSERT_EQ(type.shape.size(), tensor.rank());
  for (std::size_t i = 0; i < tensor.rank(); ++i)
    EXPECT_TRUE(!type.shape[i].known() || type.shape[i].value() == tensor.dim(i)) << text_of(type);
}

/// Runs the node; an input without type is omitted.
inline std::vector<Tensor> run_node(const OneNode& node, const std::vector<Tensor>& inputs) {
  std::vector<Type> types;
  std::vector<Datum> given;
  for (const Tensor& tensor : inputs) {
    const bool omitted = tensor.type() == ElementType::undefined;
    types.push_back(omitted ? Type{} : Type::tensor(tensor.type(), tensor.shape()));
    if (!omitted) given.emplace_back(tensor);
  }
  Model model = model_of(node, types);
  const std::vector<Datum> outputs = ReferenceInterpreter(model).run(given);
  infer_types(model);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    tensors.push_back(outputs[i].tensor());
    // What runs must also be what was inferred.
    expect_fits(model.graph.value(model.graph.outputs()[i]).type, tensors.back());
  }
  return tensors;
}

inline Tensor run_one(const OneNode& node, const std::vector<Tensor>& inputs) { return run_node(node, inputs)[0]; }

/// Inferred type of the first output, as text.
inline std::string inferred_type(const OneNode& node, const std::vector<Type>& inputs) {
  Model model = model_of(node, inputs);
  infer_types(model);
  return text_of(model.graph.value(model.graph.outputs()[0]).type);
}

inline Tensor floats(std::initializer_list<float> elements, Dims dims) {
  return Tensor::of<float>(elements, std::move(dims));
}
inline Tensor int64s(std::initializer_list<std::int64_t> elements, Dims dims) {
  return Tensor::of<std::int64_t>(elements, std::move(dims));
}
inline Tensor bytes(std::initializer_list<std::uint8_t> elements, Dims dims) {
  return Tensor::of<std::uint8_t>(elements, std::move(dims));
}
inline Type float_type(Shape shape) { return Type::tensor(ElementType::float32, std::move(shape)); }

/// 0, 1, 2, ... as floats.
inline Tensor counting(Dims dims) {
  Tensor tensor = Tensor::zeros(ElementType::float32, std::move(dims));
  float next = 0;
  for (float& element : tensor.write<float>()) element = next++;
  return tensor;
}

/// The tensor has these dims and, within a relative 1e-5, these numbers.
inline void expect_numbers(const Tensor& tensor, Dims dims, const std::vector<double>& wanted) {
  EXPECT_EQ(tensor.dims(), dims);
  ASSERT_EQ(tensor.count(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double got = tensor.number_at(i);
    const double slack = 1e-5 * std::max(1.0, std::abs(wanted[i]));
    const bool same =
        got == wanted[i] || std::abs(got - wanted[i]) <= slack || (std::isnan(got) && std::isnan(wanted[i]));
    EXPECT_TRUE(same) << "element " << i << " is " << got << ", not " << wanted[i];
  }
}

}  // namespace hone
