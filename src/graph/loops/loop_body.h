#pragma once

#include <initializer_list>
#include <vector>

#include "graph/loops/loop_nest.h"

namespace hone {

/// A value in a body that is being written, by number.
struct LoopValue {
  std::uint32_t number = 0;
};

/// Writes the instructions of a loop; equal ones are written once. Types of what is combined must agree.
class LoopBody {
 public:
  LoopValue load(std::uint32_t operand, ElementType element, bool per_row);
  /// A constant of the reals that the operator at hand computes with.
  LoopValue real(double number) { return constant(reals_, number); }
  LoopValue constant(LoopType type, double number);
  /// The result has the type of the last operand; comparisons and questions give truths, conversions what they say.
  LoopValue apply(LoopOp op, std::initializer_list<LoopValue> values);
  /// The value as another type; itself where it has that type.
  LoopValue as(LoopType type, LoopValue value);

  LoopValue add(LoopValue a, LoopValue b) { return apply(LoopOp::add, {a, b}); }
  LoopValue subtract(LoopValue a, LoopValue b) { return apply(LoopOp::subtract, {a, b}); }
  LoopValue multiply(LoopValue a, LoopValue b) { return apply(LoopOp::multiply, {a, b}); }
  LoopValue divide(LoopValue a, LoopValue b) { return apply(LoopOp::divide, {a, b}); }

  LoopType reals() const { return reals_; }
  void set_reals(LoopType reals) { reals_ = reals; }

  const LoopInstruction& operator[](LoopValue value) const { return code_[value.number]; }
  const std::vector<LoopInstruction>& code() const { return code_; }

 private:
  LoopValue write(const LoopInstruction& step);

  std::vector<LoopInstruction> code_;
  LoopType reals_ = LoopType::real;
};

}  // namespace hone
