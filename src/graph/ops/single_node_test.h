#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "graph/ops/one_node_test.h"

// For tests of operators whose results depend on the contents of inputs: one node with its tensors, of which some can
// be constants of the model.

namespace hone {

/// A model of one node, to be run or inferred.
struct SingleNode {
  std::string op;
  std::int64_t opset = 21;
  std::vector<std::optional<Tensor>> inputs;  // nullopt for an omitted one
  Attributes attributes = {};
  std::size_t outputs = 1;

  /// The inputs from `fixed` on are constants of the model.
  Model model(std::size_t fixed = 0) const {
    Model model;
    model.opsets.imports = {{"", opset}};
    std::vector<ValueId> ids, results;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = "input" + std::to_string(i);
      if (!inputs[i]) ids.emplace_back();
      else if (i >= fixed) ids.push_back(model.graph.add_constant(name, *inputs[i]));
      else ids.push_back(model.graph.add_input(name, Type::tensor(inputs[i]->type(), inputs[i]->shape())));
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      results.push_back(model.graph.add_value("output" + std::to_string(i)));
      model.graph.add_output(results.back());
    }
    model.graph.add_node(OpName::intern("", op), ids, results, attributes);
    return model;
  }

  /// Runs the node, and expects what was inferred to be true of the result.
  std::vector<Tensor> run_all() const {
    std::vector<Tensor> tensors;
    for (const Datum& output : ReferenceInterpreter(model()).run({})) tensors.push_back(output.tensor());
    for (const std::size_t fixed : {std::size_t{1}, inputs.size()}) {
      Model typed = model(fixed);
      infer_types(typed);
      for (std::size_t i = 0; i < outputs; ++i)
        expect_fits(typed.graph.value(typed.graph.outputs()[i]).type, tensors[i]);
    }
    return tensors;
  }
  Tensor run() const { return run_all()[0]; }

  /// Inferred type of the first output when input 0 has the given shape and the others are constants.
  std::string inferred(Shape input) const {
    Model typed = model(1);
    typed.graph.set_type(typed.graph.inputs()[0], Type::tensor(inputs[0]->type(), std::move(input)));
    infer_types(typed);
    return text_of(typed.graph.value(typed.graph.outputs()[0]).type);
  }
  /// The same with the shape of input 0 itself.
  std::string inferred() const { return inferred(inputs[0]->shape()); }
};

/// A list of int64.
inline Tensor indices(std::initializer_list<std::int64_t> elements) {
  return Tensor::vector(std::vector<std::int64_t>(elements));
}

}  // namespace hone
