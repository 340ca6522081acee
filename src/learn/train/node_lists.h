#pragma once

#include <algorithm>

#include "learn/network/vectorised.h"
#include "learn/train/recycled.h"
#include "learn/train/torch.h"

namespace hone::learn {

inline constexpr std::int64_t kGrain = 256;  // nodes a thread takes at least

/// The edges of nodes on one side, as plain memory.
struct Lists {
  Lists(const torch::Tensor& begins, const torch::Tensor& others)
      : begin(begins.data_ptr<std::int32_t>()), other(others.data_ptr<std::int32_t>()), nodes(begins.numel() - 1) {}

  const std::int32_t* begin;
  const std::int32_t* other;
  std::int64_t nodes;

  std::int32_t count(std::int64_t node) const { return begin[node + 1] - begin[node]; }
};

/// Runs `body(node)` for some nodes, compiled for the vectors of this processor.
template <class Body>
void for_nodes(std::int64_t first, std::int64_t last, const Body& body) {
  vectorised([&](auto) HONE_INLINED {
    for (std::int64_t node = first; node < last; ++node) body(node);
  });
}

/// Runs `body(node)` for all nodes on all threads.
template <class Body>
void for_nodes(std::int64_t nodes, const Body& body) {
  at::parallel_for(0, nodes, kGrain, [&](std::int64_t first, std::int64_t last) { for_nodes(first, last, body); });
}

/// For every node the sum of the rows of its neighbours, each times `factor(edge, node)`.
template <class T, class Factor>
torch::Tensor sum_rows(const torch::Tensor& values, const Lists& lists, const Factor& factor) {
  const std::int64_t width = values.size(1);
  torch::Tensor out = recycled({lists.nodes, width}, values.options().requires_grad(false));
  const T* rows = values.data_ptr<T>();
  T* sums = out.data_ptr<T>();
  for_nodes(lists.nodes, [=](std::int64_t node) HONE_INLINED {
    T* __restrict sum = sums + node * width;
    std::fill(sum, sum + width, T{0});
    for (std::int32_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
      const T* row = rows + static_cast<std::int64_t>(lists.other[edge]) * width;
      const T share = factor(edge, node);
      for (std::int64_t i = 0; i < width; ++i) sum[i] += share * row[i];
    }
  });
  return out;
}

}  // namespace hone::learn
