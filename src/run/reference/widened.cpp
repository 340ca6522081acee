#include "run/reference/widened.h"

#include <algorithm>
#include <cmath>

#include "graph/ops/convert.h"

namespace hone {
namespace {

/// The datum with all tensors of a type that `is_concerned` names converted, those inside sequences too.
template <class Concerned>
Datum with_elements(const Datum& datum, ElementType type, const Concerned& is_concerned) {
  if (datum.is_tensor())
    return is_concerned(datum.tensor().type()) ? Datum(converted(datum.tensor().aligned(), type)) : datum;
  if (!datum.is_sequence()) return datum;
  Sequence sequence = datum.sequence();
  for (Datum& item : sequence.items) item = with_elements(item, type, is_concerned);
  if (is_concerned(sequence.element)) sequence.element = type;
  return sequence;
}

/// Magnitudes that round to infinity and to zero.
struct NumberRange {
  double infinite, zero;

  bool holds(double number) const {
    const double magnitude = std::fabs(number);
    return (magnitude < infinite && magnitude > zero) || number == 0 || !std::isfinite(number);
  }
  double held(double number) const {
    if (holds(number)) return number;
    return std::copysign(std::fabs(number) >= infinite ? INFINITY : 0, number);
  }
};

NumberRange range_of(ElementType type) {
  switch (type) {
    case ElementType::float16: return {65520, 0x1.0p-25};
    case ElementType::bfloat16: return {0x1.ffp127, 0x1.0p-134};
    default: return {0x1.ffffffp127, 0x1.0p-150};
  }
}

}  // namespace

bool is_widened(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float16 || type == ElementType::bfloat16;
}

Datum widened(const Datum& datum) { return with_elements(datum, ElementType::float64, is_widened); }

Datum narrowed(const Datum& datum, ElementType type) {
  return with_elements(datum, type, [](ElementType each) { return each == ElementType::float64; });
}

Datum within_range(const Datum& datum, ElementType type) {
  if (!datum.is_tensor() || datum.tensor().type() != ElementType::float64) return datum;
  const NumberRange range = range_of(type);
  const std::span<const double> numbers = datum.tensor().values<double>();
  if (std::ranges::all_of(numbers, [&](double number) { return range.holds(number); })) return datum;
  Tensor tensor = Tensor::zeros(ElementType::float64, datum.tensor().dims());
  std::ranges::transform(numbers, tensor.write<double>().begin(), [&](double number) { return range.held(number); });
  return tensor;
}

}  // namespace hone
