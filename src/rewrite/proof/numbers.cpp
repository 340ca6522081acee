#include "rewrite/proof/numbers.h"

#include <cmath>
#include <limits>

namespace hone {
namespace {

double quarter(Rng& rng, DrawnNumbers::Kind kind) {
  return static_cast<double>(rng.between(kind == DrawnNumbers::Kind::positive ? 1 : -8, 8)) / 4;
}

double special(Rng& rng, ElementType type, DrawnNumbers::Kind kind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double smallest = kind != DrawnNumbers::Kind::extreme ? 0.25
                          : type == ElementType::float64      ? std::numeric_limits<double>::denorm_min()
                          : type == ElementType::float32      ? std::numeric_limits<float>::denorm_min()
                                                              : 0x1.0p-24;  // of halves
  const double values[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 0.0, -0.0, smallest};
  const std::uint64_t at = rng.below(2 * std::size(values));
  return at < std::size(values) ? values[at] : quarter(rng, DrawnNumbers::Kind::quarters);
}

double draw(Rng& rng, ElementType type, DrawnNumbers numbers) {
  if (numbers.kind == DrawnNumbers::Kind::index) return static_cast<double>(rng.between(0, numbers.largest - 1));
  const bool wide = type == ElementType::float64 || type == ElementType::int64 || type == ElementType::int32;
  if (numbers.kind == DrawnNumbers::Kind::whole && wide)
    return static_cast<double>(rng.between(-numbers.largest, numbers.largest));
  if (is_floating(type)) {
    const bool special_ones =
        numbers.kind == DrawnNumbers::Kind::special || numbers.kind == DrawnNumbers::Kind::extreme;
    return special_ones ? special(rng, type, numbers.kind) : quarter(rng, numbers.kind);
  }
  const double step = 4 * quarter(rng, numbers.kind);
  if (type == ElementType::boolean) return step > 0 ? 1 : 0;
  const bool has_sign = type == ElementType::int64 || type == ElementType::int32;
  if (numbers.kind == DrawnNumbers::Kind::positive) return std::ceil(step / 2);
  return has_sign ? std::trunc(step / 2) : std::abs(step);
}

}  // namespace

Tensor drawn_tensor(const Type& type, Choices& choices, DrawnNumbers numbers) {
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.value());
  Tensor tensor = Tensor::zeros(type.element, dims);
  // One choice for all elements: what differs between them comes from a generator of its own.
  Rng rng(choices.draw(std::size_t{1} << 32));
  for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set_number(i, draw(rng, type.element, numbers));
  return tensor;
}

std::vector<Datum> drawn_inputs(const Model& model, Choices& choices, DrawnNumbers numbers) {
  std::vector<Datum> data;
  for (const ValueId id : model.graph.inputs()) {
    const Value& value = model.graph.value(id);
    data.push_back(value.constant ? Datum() : Datum(drawn_tensor(value.type, choices, numbers)));
  }
  return data;
}

}  // namespace hone
