#include "graph/ops/convert.h"

#include <algorithm>
#include <array>

#include "graph/ops/pointwise.h"

namespace hone {
namespace {

/// Types without a C++ type: sub-byte integers, floats of 8 bits and less.
bool is_narrow(ElementType type) {
  return narrow_float_format(type) != nullptr || type == ElementType::float8e8m0 ||
         (is_integer(type) && bit_width(type) < 8);
}

bool is_integral(ElementType type) { return is_integer(type) || type == ElementType::boolean; }

/// Code of the power of two for a magnitude; the format has no sign, no zero and no infinity.
std::uint8_t power_of_two_code(double value, NarrowRounding rounding) {
  constexpr int kBias = 127, kLargest = 254, kNaN = 255;
  if (!std::isfinite(value)) return kNaN;
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [1/2, 1)
  int code = exponent - 1 + kBias;
  const bool up = rounding.power == NarrowRounding::PowerOfTwo::up && fraction > 0.5;
  const bool nearest_is_above = rounding.power == NarrowRounding::PowerOfTwo::nearest && fraction >= 0.75;
  if (up || nearest_is_above) ++code;
  if (code > kLargest) return rounding.overflow == NarrowRounding::Overflow::saturate ? kLargest : kNaN;
  return static_cast<std::uint8_t>(std::max(code, 0));
}

void write_narrow(Tensor& tensor, std::size_t index, double value, NarrowRounding rounding) {
  if (tensor.type() == ElementType::float8e8m0) {
    tensor.write_bytes()[index] = static_cast<std::byte>(power_of_two_code(value, rounding));
  } else if (rounding.overflow == NarrowRounding::Overflow::special && bit_width(tensor.type()) == 8) {
    const std::uint32_t code = encode_narrow(value, *narrow_float_format(tensor.type()), false);
    tensor.write_bytes()[index] = static_cast<std::byte>(code);
  } else {
    tensor.set_number(index, value);
  }
}

/// Reads as double, or as int64 where the elements are integers.
template <class Wide>
void read(const Tensor& tensor, std::size_t first, std::span<Wide> out) {
  if (is_narrow(tensor.type())) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Wide>(tensor.number_at(first + i));
    return;
  }
  dispatch_number(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> || std::is_same_v<Wide, double>) {
      const std::span<const T> in = tensor.values<T>().subspan(first, out.size());
      std::transform(in.begin(), in.end(), out.begin(), [](const T& x) { return static_cast<Wide>(computed(x)); });
    }
  });
}

template <class T, class Wide>
T narrowed(Wide value) {
  if constexpr (std::is_same_v<Wide, double>) return convert<T>(value);
  else if constexpr (std::is_same_v<T, bool>) return value != 0;
  else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(value);
  else return T(static_cast<float>(value));
}

template <class Wide>
void write(Tensor& tensor, std::size_t first, std::span<const Wide> in, NarrowRounding rounding) {
  if (is_narrow(tensor.type())) {
    for (std::size_t i = 0; i < in.size(); ++i) write_narrow(tensor, first + i, static_cast<double>(in[i]), rounding);
    return;
  }
  dispatch_number(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(in.begin(), in.end(), tensor.write<T>().begin() + static_cast<std::ptrdiff_t>(first),
                   [](Wide x) { return narrowed<T>(x); });
  });
}

/// Converts piece by piece through a wide type, so that there is code for each type rather than for each pair.
template <class Wide>
void convert_through(const Tensor& from, Tensor& to, NarrowRounding rounding) {
  std::array<Wide, 256> buffer;
  for (std::size_t first = 0; first < from.count(); first += buffer.size()) {
    const std::span<Wide> piece(buffer.data(), std::min(buffer.size(), from.count() - first));
    read<Wide>(from, first, piece);
    write<Wide>(to, first, piece, rounding);
  }
}

}  // namespace

void read_numbers(const Tensor& tensor, std::size_t first, std::span<double> numbers) { read(tensor, first, numbers); }

void write_numbers(Tensor& tensor, std::size_t first, std::span<const double> numbers, NarrowRounding rounding) {
  write(tensor, first, numbers, rounding);
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers(tensor.count());
  read_numbers(tensor, 0, numbers);
  return numbers;
}

Tensor converted(const Tensor& tensor, ElementType type, NarrowRounding rounding) {
  if (tensor.type() == type) return tensor;
  Tensor result = Tensor::zeros(type, tensor.dims());
  // Integers go through int64, exactly; uint64 fits there only as bits, which is all another integer type needs.
  const bool through_integers =
      is_integral(tensor.type()) && (is_integral(type) || tensor.type() != ElementType::uint64);
  if (through_integers) convert_through<std::int64_t>(tensor, result, rounding);
  else convert_through<double>(tensor, result, rounding);
  return result;
}

}  // namespace hone
