#pragma once

#include <cstdint>
#include <vector>

#include "plan/methods/load_graph.h"

namespace hone {

/// Loads and bytes of all devices under a placement, kept true while choices move.
class LoadState {
 public:
  /// Every choice must be able to run on its device.
  LoadState(const LoadGraph& graph, std::vector<std::uint32_t> device_of);

  const LoadGraph& graph() const { return graph_; }
  const std::vector<std::uint32_t>& device_of() const { return device_of_; }
  std::uint32_t device_of(std::uint32_t choice) const { return device_of_[choice]; }

  /// The device must be able to run the choice.
  void move(std::uint32_t choice, std::uint32_t device);

  double largest_load() const;
  /// The 8-norm of the loads: nearly the largest, but it tells which plans have fewer devices near it.
  double smooth_load() const;
  /// Bytes beyond what devices have.
  double excess_bytes() const;

 private:
  void leave(std::uint32_t net, std::uint32_t device);
  void join(std::uint32_t net, std::uint32_t device);

  const LoadGraph& graph_;
  std::vector<std::uint32_t> device_of_;
  std::vector<std::uint32_t> ends_on_;  // by net * devices + device
  std::vector<double> load_, bytes_;    // by device
};

}  // namespace hone
