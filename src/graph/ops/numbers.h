#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "graph/ir/tensor.h"

namespace hone {

/// A number in another type: integers keep their low bits, and reals beyond an integer's range have a defined result
/// too.
template <class To, class From>
To number_as(From value) {
  if constexpr (std::is_same_v<To, bool>) return static_cast<double>(value) != 0;
  else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>)
    return static_cast<To>(to_integer(static_cast<double>(value)));
  else return static_cast<To>(value);
}

/// Elements of a numeric tensor as numbers of type T, converted only when they are stored as something else. The tensor
/// must outlive it.
template <class T>
class Numbers {
 public:
  explicit Numbers(const Tensor& tensor) {
    if (tensor.type() == kElementType<T>) {
      view_ = tensor.values<T>();
      return;
    }
    dispatch_number(tensor.type(), [&](auto sample) {
      const auto stored = tensor.values<decltype(sample)>();
      converted_.resize(stored.size());
      for (std::size_t i = 0; i < stored.size(); ++i) converted_[i] = number_as<T>(stored[i]);
    });
    view_ = converted_;
  }
  Numbers(Numbers&&) = default;  // a moved vector keeps its memory, so the view stays true
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  std::size_t size() const { return view_.size(); }
  T operator[](std::size_t i) const { return view_[i]; }
  const T* data() const { return view_.data(); }
  std::span<const T> view() const { return view_; }

 private:
  std::vector<T> converted_;
  std::span<const T> view_;
};

/// A tensor of `type` with the given numbers: floats round once, integers keep their low bits.
template <class T>
Tensor tensor_of(ElementType type, Dims dims, const std::vector<T>& numbers) {
  Tensor tensor = Tensor::zeros(type, std::move(dims));
  HONE_CHECK(tensor.count() == numbers.size(), "{} numbers for {}", numbers.size(), tensor.count());
  dispatch_number(type, [&](auto sample) {
    using Stored = decltype(sample);
    const std::span<Stored> out = tensor.write<Stored>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_as<Stored>(numbers[i]);
  });
  return tensor;
}

/// Elements of a buffer for a result of `dims`; throws InputError for more than any machine holds.
inline std::size_t buffer_size(const Dims& dims) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const std::int64_t count = element_count(dims);
  if (count > kMost) fail("a result of {} elements is too large", count);
  return static_cast<std::size_t>(count);
}

/// The numbers of a static shape.
inline Dims dims_of(const Shape& shape) {
  Dims dims;
  for (const Dim d : shape) {
    HONE_CHECK(d.known(), "dimension {} has no number", d.text());
    dims.push_back(d.value());
  }
  return dims;
}

/// Product of dims[first..last).
inline std::int64_t count_between(const Dims& dims, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  for (std::size_t i = first; i < last; ++i) count *= dims[i];
  return count;
}

}  // namespace hone
