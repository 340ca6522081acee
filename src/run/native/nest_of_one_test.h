#pragma once

#include "graph/loops/loop_body.h"

namespace hone::native {

/// A nest of one operation on two arrays of rows, the second of which may have one element a row.
inline LoopNest nest_of_one(LoopOp op, std::int64_t rows, std::int64_t columns, bool second_by_row) {
  LoopNest nest{.extents = {rows, columns}};
  nest.operands = {{.strides = {columns, 1}}, {.strides = {second_by_row ? 1 : columns, second_by_row ? 0 : 1}}};
  LoopBody body;
  const LoopValue a = body.load(0, ElementType::float32, false);
  LoopValue result = a;
  if (operand_count(op) == 1) result = body.apply(op, {a});
  else result = body.apply(op, {a, body.load(1, ElementType::float32, second_by_row)});
  if (body[result].type == LoopType::truth) result = body.as(LoopType::real, result);
  nest.code = body.code();
  const bool by_row = body[result].per_row;
  nest.operands.push_back({.strides = {by_row ? 1 : columns, by_row ? 0 : 1}});
  nest.stores = {{.value = result.number, .operand = 2}};
  return nest;
}

}  // namespace hone::native
