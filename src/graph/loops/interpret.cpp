#include "graph/loops/interpret.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace hone {
namespace {

bool is_real_type(LoopType type) { return type == LoopType::real || type == LoopType::wide; }

/// A value at one point: which of the fields counts is said by its type.
struct PointValue {
  double real = 0;
  std::int64_t integer = 0;  // also of truths: 0 or 1
};

PointValue real(double value) { return {.real = value}; }
PointValue integer(std::int64_t value) { return {.integer = value}; }

PointValue load_element(const void* array, ElementType element, std::int64_t at) {
  if (element == ElementType::boolean) return integer(static_cast<const std::uint8_t*>(array)[at] != 0);
  return dispatch_number(element, [&](auto sample) {
    const auto stored = static_cast<const decltype(sample)*>(array)[at];
    return is_integer(element) ? integer(static_cast<std::int64_t>(stored)) : real(static_cast<double>(stored));
  });
}

void store_element(void* array, ElementType element, std::int64_t at, const PointValue& value) {
  if (element == ElementType::boolean) {
    static_cast<std::uint8_t*>(array)[at] = static_cast<std::uint8_t>(value.integer);
    return;
  }
  dispatch_number(element, [&](auto sample) {
    using Stored = decltype(sample);
    auto& stored = static_cast<Stored*>(array)[at];
    if constexpr (std::is_integral_v<Stored>) stored = static_cast<Stored>(value.integer);
    else if constexpr (std::is_same_v<Stored, double>) stored = value.real;
    else stored = Stored(static_cast<float>(value.real));
  });
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

PointValue of_one_real(LoopOp op, double x) {
  switch (op) {
    case LoopOp::negate: return real(-x);
    case LoopOp::absolute: return real(std::fabs(x));
    case LoopOp::exp: return real(std::exp(x));
    case LoopOp::log: return real(std::log(x));
    case LoopOp::log_plus_one: return real(std::log1p(x));
    case LoopOp::sqrt: return real(std::sqrt(x));
    case LoopOp::reciprocal: return real(1 / x);
    case LoopOp::tanh: return real(std::tanh(x));
    case LoopOp::sigmoid: return real(1 / (1 + std::exp(-x)));
    case LoopOp::erf: return real(std::erf(x));
    case LoopOp::sine: return real(std::sin(x));
    case LoopOp::cosine: return real(std::cos(x));
    case LoopOp::floor: return real(std::floor(x));
    case LoopOp::ceiling: return real(std::ceil(x));
    case LoopOp::round: return real(std::nearbyint(x));
    case LoopOp::sign: return real(std::isnan(x) ? x : (x > 0) - (x < 0));
    case LoopOp::is_nan: return integer(std::isnan(x));
    case LoopOp::to_integer: return integer(to_integer(x));
    case LoopOp::to_truth: return integer(x != 0);
    default: return real(x);
  }
}

PointValue of_one_integer(LoopOp op, std::int64_t x) {
  switch (op) {
    case LoopOp::negate: return integer(static_cast<std::int64_t>(-static_cast<std::uint64_t>(x)));
    case LoopOp::absolute: return integer(x < 0 ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(x)) : x);
    case LoopOp::sign: return integer((x > 0) - (x < 0));
    case LoopOp::inverse: return integer(x == 0);
    case LoopOp::to_real:
    case LoopOp::to_wide: return real(static_cast<double>(x));
    case LoopOp::to_truth: return integer(x != 0);
    default: return integer(x);
  }
}

PointValue of_two_reals(LoopOp op, double a, double b) {
  switch (op) {
    case LoopOp::add: return real(a + b);
    case LoopOp::subtract: return real(a - b);
    case LoopOp::multiply: return real(a * b);
    case LoopOp::divide: return real(a / b);
    case LoopOp::modulo: return real(std::fmod(a, b));
    case LoopOp::minimum: return real(smaller(a, b));
    case LoopOp::maximum: return real(larger(a, b));
    case LoopOp::power: return real(std::pow(a, b));
    case LoopOp::less: return integer(a < b);
    case LoopOp::less_equal: return integer(a <= b);
    default: return integer(a == b);
  }
}

PointValue of_two_integers(LoopOp op, std::int64_t a, std::int64_t b) {
  const auto wide_a = static_cast<std::uint64_t>(a), wide_b = static_cast<std::uint64_t>(b);
  switch (op) {
    case LoopOp::add: return integer(static_cast<std::int64_t>(wide_a + wide_b));
    case LoopOp::subtract: return integer(static_cast<std::int64_t>(wide_a - wide_b));
    case LoopOp::multiply: return integer(static_cast<std::int64_t>(wide_a * wide_b));
    case LoopOp::divide: return integer(b == 0 ? 0 : b == -1 ? static_cast<std::int64_t>(-wide_a) : a / b);
    case LoopOp::modulo: return integer(b == 0 || b == -1 ? 0 : a % b);
    case LoopOp::minimum: return integer(std::min(a, b));
    case LoopOp::maximum: return integer(std::max(a, b));
    case LoopOp::less: return integer(a < b);
    case LoopOp::less_equal: return integer(a <= b);
    case LoopOp::both: return integer(a != 0 && b != 0);
    case LoopOp::either: return integer(a != 0 || b != 0);
    case LoopOp::unlike: return integer((a != 0) != (b != 0));
    case LoopOp::bit_and: return integer(a & b);
    case LoopOp::shift_left: return integer(static_cast<std::int64_t>(wide_a << (wide_b & 63)));
    case LoopOp::shift_right: return integer(a >> (b & 63));
    default: return integer(a == b);
  }
}

/// Goes through a nest row by row; a value has one entry a column, or one for the row.
class NestRun {
 public:
  NestRun(const LoopNest& nest, std::span<void* const> arrays) : nest_(nest), arrays_(arrays) {}

  void run() {
    if (std::ranges::any_of(nest_.extents, [](std::int64_t extent) { return extent == 0; }) && !nest_.has_row_values())
      return;
    std::vector<std::int64_t> index(nest_.extents.size() - 1, 0);
    for (const std::int64_t extent : std::span(nest_.extents.begin(), index.size()))
      if (extent == 0) return;
    do run_row(index);
    while (next(index));
  }

 private:
  bool next(std::vector<std::int64_t>& index) const {
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < nest_.extents[axis]) return true;
      index[axis] = 0;
    }
    return false;
  }

  std::int64_t position(std::uint32_t operand, std::span<const std::int64_t> index) const {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * nest_.operands[operand].strides[axis];
    return at;
  }

  std::size_t length(const LoopInstruction& step) const {
    return step.per_row ? 1 : static_cast<std::size_t>(nest_.columns());
  }

  const PointValue& at(std::uint32_t value, std::size_t column) const {
    return values_[value][nest_.code[value].per_row ? 0 : column];
  }

  void run_row(std::span<const std::int64_t> index) {
    values_.assign(nest_.code.size(), {});
    for (std::size_t i = 0; i < nest_.code.size(); ++i) {
      const LoopInstruction& step = nest_.code[i];
      for (std::size_t column = 0; column < length(step); ++column) values_[i].push_back(point(step, index, column));
    }
    for (const LoopStore& store : nest_.stores) {
      const LoopOperand& operand = nest_.operands[store.operand];
      const std::int64_t first = position(store.operand, index);
      for (std::size_t column = 0; column < values_[store.value].size(); ++column)
        store_element(arrays_[store.operand], operand.element,
                      first + static_cast<std::int64_t>(column) * operand.strides[index.size()],
                      values_[store.value][column]);
    }
  }

  PointValue point(const LoopInstruction& step, std::span<const std::int64_t> index, std::size_t column) const {
    if (folds_rows(step.op)) return fold(step);
    if (step.op == LoopOp::constant)
      return is_real_type(step.type) ? real(step.number) : integer(static_cast<std::int64_t>(step.number));
    if (step.op == LoopOp::load) {
      const LoopOperand& operand = nest_.operands[step.operand];
      return load_element(
          arrays_[step.operand], operand.element,
          position(step.operand, index) + static_cast<std::int64_t>(column) * operand.strides[index.size()]);
    }
    const PointValue& a = at(step.values[0], column);
    const bool is_real = is_real_type(nest_.code[step.values[0]].type);
    if (operand_count(step.op) == 1) return is_real ? of_one_real(step.op, a.real) : of_one_integer(step.op, a.integer);
    const PointValue& b = at(step.values[1], column);
    if (step.op == LoopOp::select) return a.integer != 0 ? b : at(step.values[2], column);
    return is_real ? of_two_reals(step.op, a.real, b.real) : of_two_integers(step.op, a.integer, b.integer);
  }

  /// A row without points has the value that changes nothing.
  PointValue fold(const LoopInstruction& step) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool product = step.op == LoopOp::row_product, sum = step.op == LoopOp::row_sum;
    const double start = sum ? 0 : product ? 1 : step.op == LoopOp::row_maximum ? -kInfinity : kInfinity;
    PointValue folded = {.real = start, .integer = static_cast<std::int64_t>(product)};
    const LoopOp combine = sum       ? LoopOp::add
                           : product ? LoopOp::multiply
                                     : (step.op == LoopOp::row_maximum ? LoopOp::maximum : LoopOp::minimum);
    const bool is_real = is_real_type(step.type);
    for (std::int64_t column = 0; column < nest_.columns(); ++column) {
      const PointValue& next = at(step.values[0], static_cast<std::size_t>(column));
      const bool first_integer = column == 0 && !sum && !product;
      folded = is_real         ? of_two_reals(combine, folded.real, next.real)
               : first_integer ? next
                               : of_two_integers(combine, folded.integer, next.integer);
    }
    return folded;
  }

  const LoopNest& nest_;
  std::span<void* const> arrays_;
  std::vector<std::vector<PointValue>> values_;  // by instruction
};

}  // namespace

void interpret(const LoopNest& nest, std::span<void* const> arrays) { NestRun(nest, arrays).run(); }

}  // namespace hone
