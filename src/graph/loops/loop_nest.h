#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/ir/tensor.h"

namespace hone {

/// In which arithmetic a value is computed.
enum class LoopType : std::uint8_t {
  real,     // as float
  wide,     // as double
  integer,  // as int64
  truth,    // yes or no
};

/// What one instruction does. `modulo` takes the sign of what is divided; division of integers truncates; minimum and
/// maximum of a NaN are NaN; shifts are of integers by 0 to 63 places, to the right with their sign.
enum class LoopOp : std::uint8_t {
  load,
  constant,
  // of one value
  negate,
  absolute,
  exp,
  log,
  log_plus_one,
  sqrt,
  reciprocal,
  tanh,
  sigmoid,
  erf,
  sine,
  cosine,
  floor,
  ceiling,
  round,
  sign,
  inverse,
  is_nan,
  to_real,
  to_wide,
  to_integer,
  to_truth,
  spread,  // what a row has, at each of its points
  // of two
  add,
  subtract,
  multiply,
  divide,
  modulo,
  minimum,
  maximum,
  power,
  less,
  less_equal,
  equal,
  both,
  either,
  unlike,
  bit_and,
  shift_left,
  shift_right,
  // of three: the second where the first is true, else the third
  select,
  // of all points of a row
  row_sum,
  row_product,
  row_minimum,
  row_maximum,
};
std::string_view name_of(LoopOp op);

/// How many values an instruction reads.
std::size_t operand_count(LoopOp op);
/// Whether it folds the points of a row into one value.
bool folds_rows(LoopOp op);

/// One step of the body of a loop; it defines the value of its own number.
struct LoopInstruction {
  LoopOp op = LoopOp::constant;
  LoopType type = LoopType::real;  // of what it defines
  bool per_row = false;            // one value for all points of a row
  std::uint32_t values[3] = {};    // what it reads
  std::uint32_t operand = 0;       // of a load: which
  double number = 0;               // of a constant

  friend bool operator==(const LoopInstruction&, const LoopInstruction&) = default;
};

/// An array that a loop reads or writes: where the element of a point lies. Along an axis with a stride of 0 all points
/// share an element.
struct LoopOperand {
  ElementType element = ElementType::float32;
  Dims strides;  // by axis, in elements

  friend bool operator==(const LoopOperand&, const LoopOperand&) = default;
};

/// That a value goes into an array. One value a row goes where the columns have a stride of 0.
struct LoopStore {
  std::uint32_t value = 0;
  std::uint32_t operand = 0;

  friend bool operator==(const LoopStore&, const LoopStore&) = default;
};

/// What a group of operators computes, as one loop nest: for every point of a box of axes, the last of which are the
/// columns of a row, loads, arithmetic, and stores, with reductions over the columns in between. What it reads does
/// not overlap what it writes. Meaning: `interpret`.
struct LoopNest {
  Dims extents;  // by axis: at least rows and columns
  std::vector<LoopOperand> operands;
  std::vector<LoopInstruction> code;
  std::vector<LoopStore> stores;

  std::int64_t rows() const { return extents[extents.size() - 2]; }
  std::int64_t columns() const { return extents[extents.size() - 1]; }
  bool has_row_values() const;

  friend bool operator==(const LoopNest&, const LoopNest&) = default;
};

/// One line an instruction.
std::string text_of(const LoopNest& nest);

/// The arithmetic of elements of a type; fails for those that loops do not compute with.
LoopType loop_type_of(ElementType element);
/// Whether loops compute with elements of this type.
bool has_loop_type(ElementType element);

/// Puts an axis of one point before all others.
void add_first_axis(LoopNest& nest);

/// The same with neighbouring axes joined wherever every operand goes through both in one stride, without axes of one
/// point, but for rows and columns. Columns of a nest with values by row stay what they are.
LoopNest joined_axes(LoopNest nest);

}  // namespace hone
