#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_lists.h"
#include "base/random.h"
#include "plan/problem/problem.h"

namespace hone {

/// A problem as a hypergraph, for cutting it into loads of devices (see DeviceLoads): the nodes are the choices of
/// device, and a net joins those that make or read one buffer. A device that has some but not all ends of a net is busy
/// with moving the buffer for the seconds of the net, unless it is a host; one that has any end of it holds its bytes.
/// Moving takes a mean time where links differ.
struct LoadGraph {
  explicit LoadGraph(const Problem& problem);

  const Problem& problem;
  DeviceChoices choices;
  std::size_t devices = 0;

  // By choice.
  std::vector<double> seconds;  // by choice * devices + device; infinite where it cannot run
  std::vector<double> bytes;    // of buffers that no other choice has to do with
  FlatLists<std::uint32_t> nets_of;

  // By net.
  FlatLists<std::uint32_t> ends;  // choices, ascending; at least two
  std::vector<double> net_seconds, net_bytes;

  // By device.
  std::vector<double> capacity_bytes;
  std::vector<std::uint8_t> is_host;

  /// Which choice comes before which when the backward pass is folded onto the forward pass: data that passes between
  /// backward operations goes the other way. May have circles.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;

  /// Whether loads are exact: buffers state how long they take to move or all links are alike, and none share memory.
  bool is_exact = true;

  enum class Hosts { all, one };
  /// Devices, of hosts perhaps only the first: where operations of hosts do not wait for one another, one is like all.
  std::vector<std::uint32_t> device_list(Hosts hosts) const;

  std::size_t size() const { return bytes.size(); }
  std::size_t net_count() const { return net_seconds.size(); }
  double seconds_on(std::size_t choice, std::size_t device) const { return seconds[choice * devices + device]; }
  /// A plan by operation with each choice on the device named.
  Plan plan(const Plan& start, const std::vector<std::uint32_t>& device_of) const;
  /// Where a plan runs each choice.
  std::vector<std::uint32_t> device_of(const Plan& plan) const;

 private:
  void add_operations();
  void add_buffers();
  void add_arcs();
};

/// Choices such that `before` comes before `after` for all arcs, as far as circles allow. Where several could come
/// next: the one that became possible last (depth first), first (breadth first), or any.
enum class Next { deepest, broadest, any };
std::vector<std::uint32_t> order_choices(const LoadGraph& graph, Next next, Rng& rng);

}  // namespace hone
