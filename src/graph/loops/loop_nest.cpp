#include "graph/loops/loop_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hone {
namespace {

struct LoopOpText {
  LoopOp op;
  std::string_view name;
  std::size_t operands;
};

constexpr LoopOpText kLoopOps[] = {
    {LoopOp::load, "load", 0},
    {LoopOp::constant, "constant", 0},
    {LoopOp::negate, "negate", 1},
    {LoopOp::absolute, "absolute", 1},
    {LoopOp::exp, "exp", 1},
    {LoopOp::log, "log", 1},
    {LoopOp::log_plus_one, "log_plus_one", 1},
    {LoopOp::sqrt, "sqrt", 1},
    {LoopOp::reciprocal, "reciprocal", 1},
    {LoopOp::tanh, "tanh", 1},
    {LoopOp::sigmoid, "sigmoid", 1},
    {LoopOp::erf, "erf", 1},
    {LoopOp::sine, "sine", 1},
    {LoopOp::cosine, "cosine", 1},
    {LoopOp::floor, "floor", 1},
    {LoopOp::ceiling, "ceiling", 1},
    {LoopOp::round, "round", 1},
    {LoopOp::sign, "sign", 1},
    {LoopOp::inverse, "inverse", 1},
    {LoopOp::is_nan, "is_nan", 1},
    {LoopOp::to_real, "to_real", 1},
    {LoopOp::to_wide, "to_wide", 1},
    {LoopOp::to_integer, "to_integer", 1},
    {LoopOp::to_truth, "to_truth", 1},
    {LoopOp::spread, "spread", 1},
    {LoopOp::add, "add", 2},
    {LoopOp::subtract, "subtract", 2},
    {LoopOp::multiply, "multiply", 2},
    {LoopOp::divide, "divide", 2},
    {LoopOp::modulo, "modulo", 2},
    {LoopOp::minimum, "minimum", 2},
    {LoopOp::maximum, "maximum", 2},
    {LoopOp::power, "power", 2},
    {LoopOp::less, "less", 2},
    {LoopOp::less_equal, "less_equal", 2},
    {LoopOp::equal, "equal", 2},
    {LoopOp::both, "both", 2},
    {LoopOp::either, "either", 2},
    {LoopOp::unlike, "unlike", 2},
    {LoopOp::bit_and, "bit_and", 2},
    {LoopOp::shift_left, "shift_left", 2},
    {LoopOp::shift_right, "shift_right", 2},
    {LoopOp::select, "select", 3},
    {LoopOp::row_sum, "row_sum", 1},
    {LoopOp::row_product, "row_product", 1},
    {LoopOp::row_minimum, "row_minimum", 1},
    {LoopOp::row_maximum, "row_maximum", 1},
};

const LoopOpText& text_row(LoopOp op) {
  const LoopOpText& row = kLoopOps[static_cast<std::size_t>(op)];
  HONE_CHECK(row.op == op, "the table of loop operations is out of order at {}", row.name);
  return row;
}

constexpr std::string_view kLoopTypeNames[] = {"real", "wide", "integer", "truth"};

/// Whether every operand goes through `axis` and the next one in one stride.
bool can_join(const LoopNest& nest, std::size_t axis) {
  return std::ranges::all_of(nest.operands, [&](const LoopOperand& operand) {
    return operand.strides[axis] == operand.strides[axis + 1] * nest.extents[axis + 1];
  });
}

void erase_axis(LoopNest& nest, std::size_t axis) {
  const auto at = [&](Dims& dims) {
    Dims kept;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (i != axis) kept.push_back(dims[i]);
    dims = kept;
  };
  at(nest.extents);
  for (LoopOperand& operand : nest.operands) at(operand.strides);
}

void insert_unit_axis(LoopNest& nest) {
  const auto at = [](Dims& dims, std::int64_t value) {
    Dims longer{value};
    for (const std::int64_t dim : dims) longer.push_back(dim);
    dims = longer;
  };
  at(nest.extents, 1);
  for (LoopOperand& operand : nest.operands) at(operand.strides, 0);
}

}  // namespace

std::string_view name_of(LoopOp op) { return text_row(op).name; }
std::size_t operand_count(LoopOp op) { return text_row(op).operands; }
bool folds_rows(LoopOp op) { return op >= LoopOp::row_sum; }

bool LoopNest::has_row_values() const {
  return std::ranges::any_of(code, [](const LoopInstruction& step) { return folds_rows(step.op); });
}

std::string text_of(const LoopNest& nest) {
  std::string text = fmt::format("for {}\n", fmt::join(nest.extents, "x"));
  for (std::size_t i = 0; i < nest.operands.size(); ++i)
    text += fmt::format("  array {}: {} strides {}\n", i, name_of(nest.operands[i].element),
                        fmt::join(nest.operands[i].strides, ","));
  for (std::size_t i = 0; i < nest.code.size(); ++i) {
    const LoopInstruction& step = nest.code[i];
    text += fmt::format("  v{}: {}{} = {}", i, kLoopTypeNames[static_cast<std::size_t>(step.type)],
                        step.per_row ? " by row" : "", name_of(step.op));
    if (step.op == LoopOp::load) text += fmt::format(" array {}", step.operand);
    if (step.op == LoopOp::constant) text += fmt::format(" {}", step.number);
    for (std::size_t k = 0; k < operand_count(step.op); ++k) text += fmt::format(" v{}", step.values[k]);
    text += '\n';
  }
  for (const LoopStore& store : nest.stores) text += fmt::format("  array {} = v{}\n", store.operand, store.value);
  return text;
}

bool has_loop_type(ElementType element) {
  switch (element) {
    case ElementType::float32:
    case ElementType::float64:
    case ElementType::float16:
    case ElementType::bfloat16:
    case ElementType::boolean:
    case ElementType::int64:
    case ElementType::int32:
    case ElementType::int16:
    case ElementType::int8:
    case ElementType::uint64:
    case ElementType::uint32:
    case ElementType::uint16:
    case ElementType::uint8: return true;
    default: return false;
  }
}

LoopType loop_type_of(ElementType element) {
  HONE_CHECK(has_loop_type(element), "loops do not compute with {}", name_of(element));
  if (element == ElementType::float64) return LoopType::wide;
  if (is_floating(element)) return LoopType::real;
  return element == ElementType::boolean ? LoopType::truth : LoopType::integer;
}

LoopNest joined_axes(LoopNest nest) {
  const bool keeps_columns = nest.has_row_values();
  for (std::size_t axis = nest.extents.size() - (keeps_columns ? 1 : 0); axis-- > 0;)
    if (nest.extents[axis] == 1 && nest.extents.size() > (keeps_columns ? 2 : 1)) erase_axis(nest, axis);
  for (std::size_t axis = nest.extents.size() - 1; axis-- > 0;) {
    if (keeps_columns && axis + 2 == nest.extents.size()) continue;
    if (!can_join(nest, axis)) continue;
    nest.extents[axis + 1] *= nest.extents[axis];
    erase_axis(nest, axis);
  }
  while (nest.extents.size() < 2) insert_unit_axis(nest);
  return nest;
}

void add_first_axis(LoopNest& nest) {
  const auto longer = [](const Dims& dims, std::int64_t first) {
    Dims result{first};
    for (const std::int64_t dim : dims) result.push_back(dim);
    return result;
  };
  nest.extents = longer(nest.extents, 1);
  for (LoopOperand& operand : nest.operands) operand.strides = longer(operand.strides, 0);
}

}  // namespace hone
