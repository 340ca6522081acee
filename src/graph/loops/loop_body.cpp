#include "graph/loops/loop_body.h"

#include <algorithm>

namespace hone {
namespace {

LoopType type_of_result(LoopOp op, LoopType last_operand) {
  switch (op) {
    case LoopOp::less:
    case LoopOp::less_equal:
    case LoopOp::equal:
    case LoopOp::is_nan:
    case LoopOp::to_truth: return LoopType::truth;
    case LoopOp::to_real: return LoopType::real;
    case LoopOp::to_wide: return LoopType::wide;
    case LoopOp::to_integer: return LoopType::integer;
    default: return last_operand;
  }
}

}  // namespace

LoopValue LoopBody::load(std::uint32_t operand, ElementType element, bool per_row) {
  return write({.op = LoopOp::load, .type = loop_type_of(element), .per_row = per_row, .operand = operand});
}

LoopValue LoopBody::constant(LoopType type, double number) {
  return write({.op = LoopOp::constant, .type = type, .per_row = true, .number = number});
}

LoopValue LoopBody::apply(LoopOp op, std::initializer_list<LoopValue> values) {
  HONE_CHECK(values.size() == operand_count(op), "{} takes {} values", name_of(op), operand_count(op));
  LoopInstruction step{.op = op, .per_row = true};
  std::size_t count = 0;
  for (const LoopValue value : values) {
    step.per_row &= code_[value.number].per_row;
    step.values[count++] = value.number;
  }
  step.type = type_of_result(op, code_[step.values[count - 1]].type);
  step.per_row |= folds_rows(op);
  return write(step);
}

LoopValue LoopBody::as(LoopType type, LoopValue value) {
  if (code_[value.number].type == type) return value;
  static constexpr LoopOp kConversions[] = {LoopOp::to_real, LoopOp::to_wide, LoopOp::to_integer, LoopOp::to_truth};
  return apply(kConversions[static_cast<std::size_t>(type)], {value});
}

LoopValue LoopBody::write(const LoopInstruction& step) {
  const auto found = std::ranges::find(code_, step);
  if (found != code_.end()) return {static_cast<std::uint32_t>(found - code_.begin())};
  code_.push_back(step);
  return {static_cast<std::uint32_t>(code_.size() - 1)};
}

}  // namespace hone
