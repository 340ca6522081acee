#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/load_graph.h"

namespace hone {

/// Draws small changes of a placement: mostly one choice that goes where one of its neighbours is, now and then a swap,
/// and connected clusters of choices of all sizes, since single ones rarely get across a dear net.
class PlacementMoves {
 public:
  struct Change {
    std::uint32_t choice = 0, from = 0, to = 0;
  };

  /// Choices move to these devices.
  PlacementMoves(const LoadGraph& graph, std::vector<std::uint32_t> targets)
      : graph_(graph), targets_(std::move(targets)), seen_(graph.size()) {}

  /// Valid until the next call; empty when a draw came to nothing.
  std::span<const Change> propose(const std::vector<std::uint32_t>& device_of, Rng& rng);

 private:
  std::uint32_t draw_target(const std::vector<std::uint32_t>& device_of, std::uint32_t choice, Rng& rng) const;
  void grow(const std::vector<std::uint32_t>& device_of, std::size_t size);
  bool add(std::uint32_t choice, std::uint32_t from, std::uint32_t to);

  const LoadGraph& graph_;
  std::vector<std::uint32_t> targets_;
  std::vector<Change> changes_;
  std::vector<std::uint32_t> seen_;  // by choice: the draw that looked at it last
  std::uint32_t draw_ = 0;
};

}  // namespace hone
