#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/simulate/plan_layout.h"
#include "plan/simulate/transfer_times.h"

namespace hone {

/// How long one sample takes when accelerators are called like functions, as Tarnawski et al. (NeurIPS 2020) define it.
///
/// Calls. What a device runs is cut into as few calls as its data allow: an operation is in call number n of its device
/// if the longest way to it leaves the device and comes back n times. A call begins when the device is free and all
/// that it reads from outside is there; it receives each of those buffers, runs its groups one after another and sends
/// each buffer that is read outside; then all it has made is there. Hosts (DeviceKind::is_host) make no calls: a group
/// of theirs runs as soon as what it reads is there, however many others run, and what lies in host memory need not be
/// moved.
///
/// Of several calls that wait for nothing more, the one with the first operation (in topological order) comes first;
/// that decides only where calls have been cut. When calls wait for one another in a circle, the one with the first
/// operation that is still to run is cut in two: what it can run already, and the rest. Where the plan has groups,
/// those are the operations meant here, each in a topological order after what it reads, those with the first leaders
/// first.
class CallLatency {
 public:
  explicit CallLatency(const SimulatorTables& tables);

  /// Seconds until the last group has ended; infinite when groups wait for one another in a circle.
  double measure(const PlanLayout& layout);

 private:
  static constexpr std::uint32_t kNone = SimulatorTables::kNone;

  /// Operations that run as one call; an operation of a host is a call of its own.
  struct Call {
    std::uint32_t first = kNone, last = kNone;  // positions; members are linked in the order
    std::uint32_t waiting = 0;                  // reads of buffers made outside that are not there
    std::uint32_t device = 0;
    bool done = false;
  };

  void make_room();
  bool is_in_order() const;
  void order_groups();
  void number_passes(const PlanLayout& layout);
  void form_calls(const PlanLayout& layout);
  std::uint32_t add_call(std::uint32_t device);
  void append(std::uint32_t position, std::uint32_t call);
  void count_reads();
  void make_ready(std::uint32_t call);
  std::uint32_t take_ready();
  std::uint32_t cut_off_what_can_run(std::uint32_t call);
  void run(const PlanLayout& layout, std::uint32_t call);
  bool can_run(std::uint32_t position, std::uint32_t call) const;
  double sending_seconds(const PlanLayout& layout, std::uint32_t rank, std::uint32_t call) const;
  void deliver(std::uint32_t call);

  const SimulatorTables* tables_;
  TransferTimes transfers_;
  std::size_t devices_;
  std::vector<std::uint32_t> order_;           // positions, after what they read; fewer where groups wait in a circle
  std::vector<std::uint32_t> place_of_;        // in the order, by position
  std::vector<std::uint32_t> waiting_;         // by position: reads of what has no place in the order yet
  std::vector<std::uint32_t> passes_;          // by position * devices + device
  std::vector<std::uint32_t> call_of_, next_;  // by position
  std::vector<Call> calls_;
  std::vector<std::vector<std::uint32_t>> calls_on_;  // by device, then number
  std::vector<std::uint32_t> ready_;                  // calls, a heap with the first in front
  std::vector<std::uint32_t> received_by_;            // by rank: the call that received it last
  std::vector<double> finish_;                        // by position
  std::vector<double> free_at_;                       // by device
};

}  // namespace hone
