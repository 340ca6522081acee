#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir/op_name.h"
#include "graph/ir/tensor.h"
#include "rewrite/rules/expression.h"

namespace hone {

/// What a tensor is for. Operators take some sorts and not others, which keeps senseless formulas out.
enum class TensorSort : std::uint8_t { matrix, image, kernel, point };

/// An operator that formulas are made of, with its attributes.
struct MenuOperator {
  const OpName* op = nullptr;
  NamedTerms attributes;  // of Split without the sizes, which follow from what is split
  std::string fixed;      // those attributes in the rule language
  std::string open;       // the same with a variable in place of what need not be just this
  std::vector<TensorSort> operands;
  TensorSort result = TensorSort::matrix;
  std::size_t axis = 0;  // of Concat and Split

  bool is(std::string_view name) const { return op->name == name; }
};

/// A tensor that formulas start from.
struct WorldInput {
  std::string name;
  TensorSort sort = TensorSort::matrix;
  Tensor tensor;
};

/// A few inputs of fixed sizes and the operators that go with them.
struct World {
  std::string name;
  std::vector<WorldInput> inputs;
  std::vector<MenuOperator> menu;
};

/// Arithmetic element by element; products, transposes and joins of matrices; convolutions and pools of images.
const std::vector<World>& worlds();

}  // namespace hone
