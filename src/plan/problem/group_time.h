#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/scratch_vector.h"
#include "plan/machine/machine.h"
#include "plan/problem/operation_time.h"
#include "plan/problem/workload.h"

namespace hone {

/// Operations that run as one kernel: those that live there and copies of others (see Plan::Copy).
struct KernelView {
  std::span<const OperationId> instances;  // in topological order, none twice
  std::span<const BufferId> stored;        // what instances write to memory, in any order; nothing that a copy makes
};

/// How long kernels take.
///
/// One instance takes what OperationTime says of it alone. Several, in topological order and on one kind of device,
/// take
///
///   seconds = sum(stated) + max(compute, memory) + max(launch)
///
/// Arithmetic. compute = sum(compute_seconds(x) * evaluations(x) / results(x)), the factor 1 for a loop that is not
/// known or has no results. evaluations(x) = whole(x) + extra(x) counts how many elements of its result an instance
/// computes: each once, where readers take them in step, and once more for every point of a reader that jumps about.
/// From the last instance to the first:
///   - whole(x) is results(x) if anything x makes is stored, else 0 at first; extra(x) is 0 at first;
///   - every instance m then adds for each of its inputs, in order, to the instance x that makes it. Let
///     points = Loop::points of m and e = evaluations(m) * points / results(m), or points where m has no results:
///       same: whole(x) = max(whole(x), min(e, results(x)))
///       row: whole(x) = max(whole(x), e * results(x) / points)
///       other: extra(x) = extra(x) + e, unless m is a contraction, which keeps what it reads
///     and in that case, or if the loop of m is not known or has no points: whole(x) = max(whole(x), results(x)).
///
/// Traffic. What an input is read from is the input itself; of what a view of this kernel makes, that which the view's
/// result aliases and the view reads, as often as that applies. traffic = sum(max(0, bytes(x) - saved(x))) over the
/// instances that are no views and state no time of their own. Saved are, in this order, the bytes of each input that
/// is read from something that the kernel makes or from something that an earlier one of these instances reads from
/// too, then of each output that is not stored.
///
/// Speed. memory = traffic * seconds_per_byte * max(1, live / live_values) with the rate of the roofline for `traffic`
/// bytes, by class and element type of the hero: the first of these instances of the highest rank, which descends from
/// convolution by matmul, opaque, collective, reduction and movement to pointwise. Without a hero, memory is 0. `live`
/// is how many different things those instances read from that the kernel does not make, and how many it stores, and
/// a value for every eight instances: what a kernel keeps in registers (DeviceKind::live_values).
///
/// Measured. Where the kind of device has a measured time of a kernel like this one (kernel_key.h), that is its time and
/// nothing above counts. Where it has one of the hero alone, memory is multiplied by what the estimate of that was off.
///
/// One object serves one thread; after the first calls, nothing is allocated.
class GroupTimer {
 public:
  /// Throws InputError naming an operation that no device of the machine can run. Both must outlive it.
  GroupTimer(const Workload& workload, const Machine& machine);

  /// Time of a kernel on a kind of device; not a number when that cannot run one of its operations.
  double seconds(const KernelView& kernel, std::size_t kind);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// What the rules ask of an operation, in one place.
  struct Work {
    double bytes = 0, points = 0, results = 0;
    std::uint32_t read_begin = 0, output_begin = 0;
    Loop::Kind loop = Loop::Kind::none;
    OperationClass operation_class = OperationClass::opaque;
    ElementType element = ElementType::float32;
    std::uint8_t rank = 0;  // to be the hero; 0: never
  };
  struct Read {
    double bytes = 0;
    std::uint32_t buffer = 0, producer = kNone;
    Access access = Access::other;
  };
  struct Output {
    double bytes = 0;
    std::uint32_t buffer = 0, target = kNone;  // of an alias whose producer reads it
  };
  /// Of an operation in the kernel at hand.
  struct Instance {
    std::uint64_t kernel = 0;  // number of the last one with an instance
    double whole = 0, extra = 0;
  };
  /// Of a buffer in the kernel at hand.
  struct Place {
    std::uint64_t read = 0, stored = 0;  // number of the last kernel that did
    std::uint32_t source = 0;            // what is read in its stead, where a view makes it
  };
  struct Traffic {
    double bytes = 0;
    std::size_t live = 0;
    const Work* hero = nullptr;
    OperationId hero_id;
  };

  void walk_forward(const KernelView& kernel);
  void walk_back(std::span<const OperationId> instances);
  bool makes(std::uint32_t operation) const { return operation != kNone && instances_[operation].kernel == kernel_; }
  void note_sources(const Work& work);
  std::uint32_t source_of(std::uint32_t buffer) const;
  double saved_by(const Work& work);
  double evaluations(std::size_t operation) const { return instances_[operation].whole + instances_[operation].extra; }

  const Workload& workload_;
  const Machine& machine_;
  OperationTimes times_;
  std::vector<Work> works_;                 // by operation, one more than there are
  std::vector<Read> reads_;                 // by operation
  std::vector<Output> outputs_;             // by operation
  std::vector<std::uint32_t> producer_of_;  // by buffer
  ScratchVector<Instance> instances_;       // by operation
  ScratchVector<Place> places_;             // by buffer
  std::uint64_t kernel_ = 0;                // number of the one at hand
  Traffic traffic_;                         // of the one at hand
};

}  // namespace hone
