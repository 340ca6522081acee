#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

#include "base/error.h"

namespace hone {

/// A vector of trivially copyable elements that keeps up to N of them in place, so that the short lists of a graph
/// (inputs of a node, dimensions of a shape) need no heap.
template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  explicit SmallVector(std::size_t count, T value = T{}) { resize(count, value); }
  SmallVector(std::initializer_list<T> list) { assign(std::span<const T>(list.begin(), list.size())); }
  explicit SmallVector(std::span<const T> elements) { assign(elements); }
  SmallVector(const SmallVector& other) { assign(other); }
  SmallVector(SmallVector&& other) noexcept { swap(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void assign(std::span<const T> elements) {
    reserve(elements.size());
    std::copy(elements.begin(), elements.end(), data());
    size_ = static_cast<std::uint32_t>(elements.size());
  }
  void push_back(T element) {
    reserve(size_ + 1);
    data()[size_++] = element;
  }
  void pop_back() { --size_; }
  void resize(std::size_t count, T value = T{}) {
    reserve(count);
    for (std::size_t i = size_; i < count; ++i) data()[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  void insert(std::size_t position, T element) {
    push_back(element);
    std::rotate(begin() + position, end() - 1, end());
  }
  void erase(std::size_t position) {
    std::copy(begin() + position + 1, end(), begin() + position);
    --size_;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t capacity = std::max<std::size_t>(count, 2 * std::size_t{capacity_});
    auto grown = std::make_unique<T[]>(capacity);
    std::copy(begin(), end(), grown.get());
    heap_ = std::move(grown);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void swap(SmallVector& other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(inline_, other.inline_);
  }

  std::unique_ptr<T[]> heap_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  T inline_[N] = {};
};

}  // namespace hone
