#pragma once

#include "learn/train/node_lists.h"

namespace hone::learn {

/// The maximum of rows of neighbours, and back: a node at a time, to be compiled for the vectors of this processor.
template <class T>
struct MaxPool {
  std::int64_t width;

  /// Writes the maximum of the rows of a node's neighbours, and by which edge it came: -1 for none.
  HONE_INLINED void find(std::int64_t node, const Lists& lists, const T* rows, T* __restrict best,
                         std::int32_t* __restrict who) const {
    const std::int32_t begin = lists.begin[node], end = lists.begin[node + 1];
    if (begin == end) {
      std::fill(best, best + width, T{0});
      std::fill(who, who + width, -1);
      return;
    }
    const T* first = rows + lists.other[begin] * width;
    std::copy(first, first + width, best);
    std::fill(who, who + width, begin);
    for (std::int32_t edge = begin + 1; edge < end; ++edge) {
      const T* row = rows + lists.other[edge] * width;
      for (std::int64_t i = 0; i < width; ++i) {
        const bool wins = row[i] > best[i];
        best[i] = wins ? row[i] : best[i];
        who[i] = wins ? edge : who[i];
      }
    }
  }

  /// The gradient of maxima.
  struct Won {
    const T* gradient;
    const std::int32_t* winners;  // by which edge each of them came
    const std::int32_t* places;   // of each edge of the lists of those that sent, in the lists of the winners
  };

  /// Collects from where a node's edges go to what it has won there.
  HONE_INLINED void collect(std::int64_t node, const Lists& lists, const Won& won, T* __restrict sum) const {
    std::fill(sum, sum + width, T{0});
    for (std::int32_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
      const std::int64_t other = lists.other[edge];
      const T* row = won.gradient + other * width;
      const std::int32_t* who = won.winners + other * width;
      const std::int32_t own = won.places[edge];
      for (std::int64_t i = 0; i < width; ++i) sum[i] += who[i] == own ? row[i] : T{0};
    }
  }
};

}  // namespace hone::learn
