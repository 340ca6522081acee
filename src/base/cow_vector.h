#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"

namespace hone {

/// A vector whose copies share their elements until one of them is written to.
///
/// Elements lie in chunks of 256; copying the vector copies one pointer a chunk, and writing to an element first
/// copies its chunk if somebody else also holds it. A search can therefore keep thousands of graph variants that
/// differ in a few nodes. Reading is one extra indirection.
///
///   a: [chunk0][chunk1][chunk2]        copy, then write into the middle:
///   b: [  "   ][chunk1'][  "  ]
template <class T>
class CowVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }

  /// The element for writing; unshares its chunk.
  T& write(std::size_t index) {
    std::shared_ptr<T[]>& chunk = chunks_[index / kChunk];
    if (chunk.use_count() > 1) {
      const bool tail = index / kChunk + 1 == chunks_.size();
      chunk = copied(chunk, tail ? size_ - (chunks_.size() - 1) * kChunk : kChunk, tail ? tail_capacity_ : kChunk);
    }
    return chunk[index % kChunk];
  }

  void push_back(T element) {
    const std::size_t used = size_ % kChunk;
    if (used == 0) {
      // Bodies of control flow are often a node or two, so a chunk starts small.
      tail_capacity_ = chunks_.empty() ? 4 : kChunk;
      chunks_.push_back(std::shared_ptr<T[]>(new T[tail_capacity_]));
    } else if (used == tail_capacity_) {
      tail_capacity_ *= 4;
      chunks_.back() = copied(chunks_.back(), used, tail_capacity_);
    }
    ++size_;
    write(size_ - 1) = std::move(element);
  }

 private:
  static constexpr std::size_t kChunk = 256;

  static std::shared_ptr<T[]> copied(const std::shared_ptr<T[]>& from, std::size_t count, std::size_t capacity) {
    std::shared_ptr<T[]> chunk(new T[capacity]);
    std::copy(from.get(), from.get() + count, chunk.get());
    return chunk;
  }

  std::vector<std::shared_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
  std::size_t tail_capacity_ = 0;
};

}  // namespace hone
