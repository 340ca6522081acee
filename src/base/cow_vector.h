#pragma once

#include <array>
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

  const T& operator[](std::size_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }

  /// The element for writing; unshares its chunk.
  T& write(std::size_t index) {
    std::shared_ptr<Chunk>& chunk = chunks_[index / kChunk];
    if (chunk.use_count() > 1) chunk = std::make_shared<Chunk>(*chunk);
    return (*chunk)[index % kChunk];
  }

  void push_back(T element) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_shared<Chunk>());
    ++size_;
    write(size_ - 1) = std::move(element);
  }

 private:
  static constexpr std::size_t kChunk = 256;
  using Chunk = std::array<T, kChunk>;

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace hone
