#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learn/train/matrix_view.h"

namespace hone::learn {

/// Memory that is needed soon: products read it into the cache bit by bit while they keep the processor busy, which
/// waits for it otherwise.
class Ahead {
 public:
  /// What a product reads ahead in each of its steps.
  static constexpr std::int64_t kBytesPerStep = 32;

  void clear() { ranges_.clear(); }

  /// Rows of a matrix that lie together.
  template <class T>
  void add(const MatrixView<T>& rows) {
    ranges_.push_back(
        {reinterpret_cast<const char*>(rows.begin), reinterpret_cast<const char*>(rows.begin + rows.rows * rows.row)});
  }

  /// Where to read ahead in so many steps, or `otherwise` when too little is left.
  const char* take(std::int64_t steps, const void* otherwise) {
    const std::int64_t bytes = steps * kBytesPerStep;
    while (!ranges_.empty() && ranges_.back().end - ranges_.back().begin < bytes) ranges_.pop_back();
    if (ranges_.empty()) return static_cast<const char*>(otherwise);
    return std::exchange(ranges_.back().begin, ranges_.back().begin + bytes);
  }

 private:
  struct Range {
    const char *begin, *end;
  };
  std::vector<Range> ranges_;
};

}  // namespace hone::learn
