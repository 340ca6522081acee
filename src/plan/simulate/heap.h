#pragma once

#include <cstddef>
#include <utility>

namespace hone {

/// A priority queue over memory that somebody else owns: the least key first. Four children a node, so that a node's
/// children share a cache line and the tree is half as deep as a binary one.
template <class Key>
class Heap {
 public:
  Heap() = default;
  /// `storage` must have room for every key that will ever be inside at once.
  explicit Heap(Key* storage) : keys_(storage) {}

  bool empty() const { return size_ == 0; }
  const Key& top() const { return keys_[0]; }

  void push(Key key) {
    std::size_t hole = size_++;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!(key < keys_[parent])) break;
      keys_[hole] = keys_[parent];
      hole = parent;
    }
    keys_[hole] = key;
  }

  Key pop() {
    const Key least = keys_[0];
    const Key last = keys_[--size_];
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= size_) break;
      const std::size_t best = first + 3 < size_ ? least_of_four(first) : least_of(first, size_);
      if (!(keys_[best] < last)) break;
      keys_[hole] = keys_[best];
      hole = best;
    }
    keys_[hole] = last;
    return least;
  }

 private:
  std::size_t least_of_four(std::size_t first) const {
    const std::size_t left = keys_[first + 1] < keys_[first] ? first + 1 : first;
    const std::size_t right = keys_[first + 3] < keys_[first + 2] ? first + 3 : first + 2;
    return keys_[right] < keys_[left] ? right : left;
  }
  std::size_t least_of(std::size_t first, std::size_t end) const {
    std::size_t best = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (keys_[child] < keys_[best]) best = child;
    return best;
  }

  Key* keys_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hone
