#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/policy/plan_maker.h"
#include "learn/policy/softmax_draw.h"

namespace hone {

/// What a policy looks at when a ready operation could run next on a free device: all of it is scale-free.
enum class Sight : std::uint8_t {
  one,          // always 1: how much the policy likes the operation as such
  made,         // bytes the operation makes
  copied,       // bytes it reads that are not on this device yet
  copied_age,   // the same, by how long ago they were made: a copy is held from then on
  resident,     // weights it reads that are not on this device yet
  freed,        // bytes that nobody needs any more once it has ended
  shared,       // bytes it reads, each by its part of those that still have to read it
  excess,       // bytes that this device would hold beyond what the best plan known holds
  level,        // bytes that this device would hold
  lead,         // bytes this device would hold more than the one that holds least
  tail,         // time from here to the end of everything
  duration,     // of the operation on this device against the quickest one
  recent,       // how lately the last thing it reads was made
  unlocks,      // operations that become ready by it
  same_device,  // 1 where the best plan known has it here, too
  early,        // how much earlier it is than in the best plan known
  due,          // how much earlier it is than in the order to lean on
  count
};
inline constexpr std::size_t kSights = static_cast<std::size_t>(Sight::count);
using Sights = std::array<float, kSights>;

/// What a policy looks at when nothing could be started instead until something ends.
enum class WaitSight : std::uint8_t { one, level, spread, ready, running, count };
inline constexpr std::size_t kWaitSights = static_cast<std::size_t>(WaitSight::count);
using WaitSights = std::array<float, kWaitSights>;

/// What to make of all that: for each operation its own weights, or the same for all, and those for waiting.
struct Taste {
  std::vector<float> weights;  // by operation * kSights; of all operations alike when there are only kSights
  WaitSights wait{};

  std::span<const float> of(std::size_t operation) const {
    return std::span(weights).subspan(weights.size() == kSights ? 0 : operation * kSights, kSights);
  }
};

/// The best plan known, for a construction to lean on; empty lists when there is none.
struct Incumbent {
  std::vector<std::uint32_t> device_of;  // by operation
  std::vector<float> position;           // by operation: when it starts, from 0 to 1
  std::vector<float> due;                // by operation: place in an order to lean on, from 0 to 1
  double bytes = 1;                      // its peak; the unit of all bytes
};

/// A plan made step by step.
struct Constructed {
  std::vector<std::uint32_t> device_of;  // by operation
  std::vector<std::uint32_t> order;      // operations, as they start
};

/// One decision of a construction, as a trainer wants to know it.
struct TraceStep {
  std::uint32_t first = 0, count = 0;  // of `candidates`; the last one may be waiting
  std::uint32_t chosen = 0;            // among them
  bool could_wait = false;
  WaitSights wait{};
};
struct Trace {
  std::vector<TraceStep> decisions;
  std::vector<std::uint32_t> operations;  // of candidates
  std::vector<Sights> sights;             // of candidates
};

/// How much slower a device runs an operation than the quickest one does, by logarithm.
double slowness(const GraphView& graph, std::size_t operation, std::size_t device);

/// Makes plans as a simulator would run them: whenever devices are free, one of the operations that are ready is put on
/// one of them, drawn with a chance that grows exponentially with how the policy likes what it sees; or all wait.
class Construction final : public PlanMaker {
 public:
  explicit Construction(const GraphView& graph);

  const Constructed& build(const Taste& taste, const Incumbent& incumbent, double heat, Rng& rng,
                           Trace* trace = nullptr) override;

 private:
  struct Running {
    double finish;
    std::uint32_t operation, device;
    bool operator>(const Running& other) const {
      return finish != other.finish ? finish > other.finish : operation > other.operation;
    }
  };

  struct Candidate {
    std::uint32_t operation, device;
  };

  void reset();
  bool may_run(std::uint32_t operation, std::uint32_t device) const;
  void offer_some(std::size_t half, Rng& rng);
  void list_candidates(Rng& rng);
  Sights look(const Candidate& candidate, const Incumbent& incumbent) const;
  WaitSights look_at_waiting(const Incumbent& incumbent) const;
  bool decide(const Taste& taste, const Incumbent& incumbent, double heat, Rng& rng, Trace* trace);
  void start(std::uint32_t operation, std::uint32_t device);
  void finish(const Running& ended);
  bool is_on(std::uint32_t holding, std::uint32_t device) const { return ((where_[holding] >> device) & 1U) != 0; }

  const GraphView& graph_;
  Constructed made_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> missing_;        // by operation: operations it still waits for
  std::vector<std::uint32_t> to_read_;        // by holding: readers that have not ended
  std::vector<std::uint64_t> where_;          // by holding: devices that have it
  std::vector<std::uint32_t> made_at_;        // by holding: step
  std::vector<std::uint32_t> chosen_device_;  // by choice of device; none while open
  std::vector<double> held_;                  // by device
  std::vector<std::uint32_t> free_streams_;   // by device
  std::vector<Running> running_;              // a heap
  std::vector<std::uint32_t> offered_;        // operations that are looked at
  std::vector<Candidate> candidates_;
  double now_ = 0;
  double longest_tail_ = 0;
  std::vector<float>
      slower_;  // by operation * devices + device: logarithm of its time there against the quickest device
};

}  // namespace hone
