#include "plan/methods/load_state.h"

#include <algorithm>
#include <cmath>

namespace hone {

LoadState::LoadState(const LoadGraph& graph, std::vector<std::uint32_t> device_of)
    : graph_(graph),
      device_of_(std::move(device_of)),
      ends_on_(graph.net_count() * graph.devices),
      load_(graph.devices),
      bytes_(graph.devices) {
  for (std::uint32_t choice = 0; choice < graph.size(); ++choice) {
    const std::uint32_t device = device_of_[choice];
    load_[device] += graph.seconds_on(choice, device);
    bytes_[device] += graph.bytes[choice];
    for (const std::uint32_t net : graph.nets_of[choice]) join(net, device);
  }
}

/// One end more of a net lies on a device: with its first the buffer is moved, with its last no more.
void LoadState::join(std::uint32_t net, std::uint32_t device) {
  const std::uint32_t others = ends_on_[net * graph_.devices + device]++;
  const double seconds = graph_.is_host[device] != 0 ? 0 : graph_.net_seconds[net];
  if (others == 0) {
    load_[device] += seconds;
    bytes_[device] += graph_.net_bytes[net];
  }
  if (others + 1 == graph_.ends[net].size()) load_[device] -= seconds;
}

void LoadState::leave(std::uint32_t net, std::uint32_t device) {
  const std::uint32_t others = --ends_on_[net * graph_.devices + device];
  const double seconds = graph_.is_host[device] != 0 ? 0 : graph_.net_seconds[net];
  if (others + 1 == graph_.ends[net].size()) load_[device] += seconds;
  if (others == 0) {
    load_[device] -= seconds;
    bytes_[device] -= graph_.net_bytes[net];
  }
}

void LoadState::move(std::uint32_t choice, std::uint32_t device) {
  const std::uint32_t from = device_of_[choice];
  if (from == device) return;
  load_[from] -= graph_.seconds_on(choice, from);
  load_[device] += graph_.seconds_on(choice, device);
  bytes_[from] -= graph_.bytes[choice];
  bytes_[device] += graph_.bytes[choice];
  for (const std::uint32_t net : graph_.nets_of[choice]) {
    leave(net, from);
    join(net, device);
  }
  device_of_[choice] = device;
}

double LoadState::largest_load() const { return std::ranges::max(load_); }

double LoadState::smooth_load() const {
  const double largest = std::ranges::max(load_);
  if (!(largest > 0)) return 0;
  double sum = 0;
  for (const double load : load_) {
    const double share = load / largest, squared = share * share, fourth = squared * squared;
    sum += fourth * fourth;
  }
  return largest * std::sqrt(std::sqrt(std::sqrt(sum)));
}

double LoadState::excess_bytes() const {
  double excess = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) excess += std::max(0.0, bytes_[i] - graph_.capacity_bytes[i]);
  return excess;
}

}  // namespace hone
