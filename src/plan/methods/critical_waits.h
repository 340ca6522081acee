#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "plan/methods/durations.h"
#include "plan/problem/timeline.h"

namespace hone {

/// One operation starts no earlier because of another one: its device was busy with that, or waited for what it made.
struct CriticalWait {
  OperationId cause, waiting;
  bool is_transfer = false;  // the two are on different devices; else the one runs after the other on one stream
};

/// Why operations start when they do in a plan.
class CriticalWaits {
 public:
  CriticalWaits() = default;
  CriticalWaits(const Timeline& timeline, const Plan& plan, const Problem& problem);

  /// A chain of waits that makes the plan as long as it is, from its end to its start; where several things end just
  /// when an operation starts, one of them by chance. Waits for data that is made on the same device are left out:
  /// nothing else could come of another place. The durations must be of the plan's problem.
  std::vector<CriticalWait> drawn_chain(const Durations& durations, Rng& rng) const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct Run {
    DeviceId device;
    double start = 0, finish = 0;
    std::uint32_t before = kNone;  // operation on the same stream
  };
  struct Transfer {
    BufferId buffer;
    OperationId maker;
    DeviceId to;
    double start = 0, finish = 0;
    std::uint32_t before = kNone;  // transfer over the same link
    std::uint32_t other = kNone;   // transfer of the same buffer
  };
  /// What ends when an operation starts: an operation or a transfer.
  struct Cause {
    std::uint32_t operation = kNone, transfer = kNone;
    bool by_stream = false;
  };

  void add_runs(const Timeline& timeline, const Plan& plan, std::size_t operations);
  void add_transfers(const Timeline& timeline, const Problem& problem);
  std::uint32_t transfer_to(DeviceId device, BufferId buffer) const;
  Cause drawn_cause(const Durations& durations, OperationId operation, Rng& rng) const;
  std::uint32_t waited_for(const Transfer& move) const;
  OperationId drawn_reader(const Transfer& move, const Durations& durations, Rng& rng) const;

  std::vector<Run> runs_;  // by operation
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> last_of_;  // by buffer: transfer
};

}  // namespace hone
