#include <cmath>

#include "base/error.h"
#include "zoo/builder.h"
#include "zoo/weights.h"

namespace hone::zoo {

ValueId Builder::split_heads(ValueId x, std::int64_t heads) {
  const std::int64_t size = dim(x, -1) / heads;
  return transpose(reshape(x, {0, 0, heads, size}), {0, 2, 1, 3});
}

ValueId Builder::merge_heads(ValueId x) { return reshape(transpose(x, {0, 2, 1, 3}), {0, 0, -1}); }

ValueId Builder::attend(ValueId q, ValueId k, ValueId v, ValueId mask) {
  const double root = std::sqrt(static_cast<double>(dim(q, -1)));
  const ValueId scores = div(matmul(q, transpose_matrix(k)), scalar(root));
  return matmul(softmax(mask.valid() ? add(scores, mask) : scores), v);
}

ValueId Builder::attention(std::string_view name, ValueId x, ValueId memory, const Heads& heads) {
  const auto place = scope(name);
  const std::int64_t width = dim(x, -1);
  if (width % heads.count != 0)
    fail_usage("{}: a width of {} is not a multiple of {} heads", graph().name, width, heads.count);
  const ValueId q = split_heads(linear("query", x, width, heads.bias), heads.count);
  const ValueId k = split_heads(linear("key", memory, width, heads.bias), heads.count);
  const ValueId v = split_heads(linear("value", memory, width, heads.bias), heads.count);
  return linear("output", merge_heads(attend(q, k, v, heads.mask)), width, heads.bias);
}

double Builder::masked_score() const { return element() == ElementType::float16 ? -1e4 : -1e9; }

ValueId Builder::causal_mask(std::int64_t rows, std::int64_t columns) {
  Tensor mask = Tensor::zeros(element(), {rows, columns});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i + columns - rows + 1; j < columns; ++j)
      mask.set_number(static_cast<std::size_t>(i * columns + j), masked_score());
  return constant("causal_mask", std::move(mask));
}

ValueId Builder::padding_mask(ValueId present) {
  const auto place = scope("mask");
  const ValueId absent = sub(scalar(1), cast(unsqueeze(present, {1, 2}), element()));
  return mul(absent, masked_score());
}

LstmCell Builder::lstm_cell(std::string_view name, std::int64_t inputs, std::int64_t width) {
  const auto place = scope(name);
  return {
      .input_weight = weight("input_weight", {inputs, 4 * width}, Init::fan_in(inputs)),
      .hidden_weight = weight("hidden_weight", {width, 4 * width}, Init::fan_in(width)),
      .bias = weight("bias", {4 * width}, Init::constant(0)),
  };
}

LstmState Builder::lstm_step(const LstmCell& cell, ValueId x, LstmState before) {
  const ValueId sums = add(add(matmul(x, cell.input_weight), matmul(before.hidden, cell.hidden_weight)), cell.bias);
  const std::vector<ValueId> gates = split_evenly(sums, -1, 4);
  const ValueId kept = mul(sigmoid(gates[1]), before.cell);
  const ValueId state = add(kept, mul(sigmoid(gates[0]), tanh(gates[2])));
  return {.hidden = mul(sigmoid(gates[3]), tanh(state)), .cell = state};
}

ValueId Builder::zeros(const Dims& dims) { return constant("zeros", Tensor::zeros(element(), dims)); }

}  // namespace hone::zoo
