#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/problem/cost.h"
#include "plan/problem/plan.h"
#include "plan/problem/timeline.h"
#include "plan/simulate/buffer_lifetime.h"
#include "plan/simulate/plan_layout.h"
#include "plan/simulate/resources.h"
#include "plan/simulate/simulator_tables.h"
#include "plan/simulate/smooth_peak.h"

namespace hone {

/// What carrying out a plan takes, by playing it through event by event.
///
/// The rules, precise enough that any two implementations agree to the last bit:
///
/// Groups. Without groups every operation is one. A group has the operations that the plan puts there, and copies of
/// others; call both instances. An instance that reads what another one of its group makes finds it there. A buffer
/// that an operation makes is stored if it is a result of the graph, if nobody reads it, or if an instance reads it in
/// a group without an instance of its producer; the group in which that lives is its producer's. Whatever follows
/// speaks of stored buffers only: others take no memory and no time to move.
///
/// Time. A group runs on its device for the seconds that GroupTimer describes; a transfer occupies its link for
/// Buffer::transfer_seconds where stated, else latency + bytes / bandwidth. What starts at t ends at t + seconds.
///
/// Events. Time t is the earliest at which something ends (0 at first). At t:
///   1. everything that is due at t ends: it gives back memory, makes groups ready and queues transfers;
///   2. every idle link starts its first queued transfer; if any is due at t as well, back to 1;
///   3. every device starts ready groups while it has a free stream (the lowest); if any is due at t, back to 1.
///
/// Order. Ready groups: highest priority first, ties by the least topological position of an operation that lives in
/// the group. Queued transfers: highest priority first, ties by that position of the producer's group, buffer id,
/// destination.
///
/// Waiting. Where the plan's devices wait, groups stand in a line: of all that read from outside only what groups in it
/// make (or weights and inputs) the first in the order above is next. There a group is ready only when the one before
/// it on its device has ended, too, so that a device runs one at a time.
///
/// Data. Weights and inputs lie on every device that reads them. Any other buffer crosses once to each other device
/// with a group that reads it from outside, queued when its producer's group ends. A group is ready when all buffers it
/// reads from outside lie on its device.
///
/// Memory. Sizes are rounded up to whole bytes. Weights and inputs are held throughout. A buffer is taken when its
/// producer's group starts, a received copy when its transfer starts. Either is given back when all these have ended:
/// the producer's group, the groups that read it from outside on this device, the transfers of it from here; results of
/// the graph never are.
///
/// Aliases. What an alias lives in is the first thing up its chain of targets that is stored or is a weight or input.
/// On its producer's device it lives in the memory of that, if every producer on the way up (of the alias and of each
/// target passed by) reads its target, or if no target is passed by and this one is produced on that device too; but
/// not if the producer's group holds a copy of what makes it, and so need not have it. Then the alias takes nothing,
/// and what would keep it, keeps what it lives in. Otherwise, and where it was received, it is a buffer like any other.
/// Weights and inputs that alias one another are held once.
///
/// One object serves one thread; it owns all memory it needs, so that evaluating allocates nothing, with groups once it
/// has seen plans as large. Any number of objects may share the tables.
///
/// Every evaluation is a full one. Resuming from a checkpoint before the first event that a change affects pays little
/// where it matters: on layered training graphs over 8 devices, moving one operation to another device leaves on
/// average the first 35 % of the timeline as it was, less what restoring the state costs. (Changing one priority leaves
/// 76 to 97 %, mostly because nothing changes at all.)
class alignas(kCacheLineBytes) Simulator {
 public:
  explicit Simulator(std::shared_ptr<const SimulatorTables> tables);

  /// The plan must have the right sizes (see `check`); a device that cannot run a group, waiting in a circle and lack
  /// of memory are reported in the cost.
  Cost evaluate(const Plan& plan);
  /// By device, of the last plan evaluated.
  std::span<const double> peak_bytes() const { return peaks_; }

  /// Everything that happens, for reports; slower.
  Timeline trace(const Plan& plan);
  /// What lies where and how long, weights and inputs left out, for laying out memory; slower.
  std::vector<BufferLifetime> lifetimes(const Plan& plan);

  const SimulatorTables& tables() const { return *tables_; }

 private:
  struct Quiet;
  struct Recorder;
  struct LifetimeRecorder;

  void reset();
  template <class Observer>
  Cost simulate(const Plan& plan, Observer& observer);
  template <class Observer>
  void play(Observer& observer);
  template <class Observer>
  void end_group(Resources::Ended ended, Observer& observer);
  template <class Observer>
  void end_transfer(std::uint32_t slot, Observer& observer);
  template <class Observer>
  void start_groups(Observer& observer);
  template <class Observer>
  void start_transfers(Observer& observer);
  double output_bytes(std::uint32_t group) const;
  void queue_transfers(std::uint32_t rank);
  void deliver(std::uint32_t rank, std::uint32_t device);
  void supply(std::uint32_t reader);
  void make_ready(std::uint32_t group);
  template <class Observer>
  void release(std::uint32_t slot, std::uint32_t device, Observer& observer);
  template <class Observer>
  void take(double bytes, std::uint32_t device, Observer& observer);
  Cost cost() const;

  std::shared_ptr<const SimulatorTables> tables_;
  PlanLayout layout_;
  const SimulatorTables* played_;  // what the layout spreads the plan over

  Resources devices_;  // for groups, by position
  Resources links_;    // for transfers, by the slots they fill

  ScratchVector<double> held_, peaks_;      // by device
  ScratchVector<std::uint32_t> receivers_;  // of transfers that start now, by link
  ScratchVector<SmoothPeak> smooth_peaks_;  // by device
  double now_ = 0;
  std::size_t ended_groups_ = 0;
};

}  // namespace hone
