#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/policy/plan_maker.h"
#include "learn/policy/softmax_draw.h"

namespace hone {

/// What a policy looks at when a ready operation could run next on a free device: all of it is scale-free.
enum class OptionFeature : std::uint8_t {
  one,          // always 1: a weight of the operation as such
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
  due,          // how much earlier it is than in the reference order
  count
};
inline constexpr std::size_t kOptionFeatures = static_cast<std::size_t>(OptionFeature::count);
using OptionFeatures = std::array<float, kOptionFeatures>;

/// What a policy looks at when nothing could be started instead until something ends.
enum class WaitFeature : std::uint8_t { one, level, spread, ready, running, count };
inline constexpr std::size_t kWaitFeatures = static_cast<std::size_t>(WaitFeature::count);
using WaitFeatures = std::array<float, kWaitFeatures>;
/// What the weights of these are called in a policy.
inline constexpr const char* kWaitArray = "wait";

/// What to make of all that: for each operation its own weights, or the same for all, and those for waiting.
struct LogitWeights {
  std::vector<float>
      rows;  // by operation * kOptionFeatures; of all operations alike when there are only kOptionFeatures
  WaitFeatures wait{};

  std::span<const float> of(std::size_t operation) const {
    return std::span(rows).subspan(rows.size() == kOptionFeatures ? 0 : operation * kOptionFeatures, kOptionFeatures);
  }
};

/// The best plan known, as a construction sees it; empty lists when there is none.
struct Incumbent {
  std::vector<std::uint32_t> device_of;  // by operation
  std::vector<float> position;           // by operation: when it starts, from 0 to 1
  std::vector<float> due;                // by operation: place in a reference order, from 0 to 1
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
  WaitFeatures wait{};
};
struct Trace {
  std::vector<TraceStep> decisions;
  std::vector<std::uint32_t> operations;  // of candidates
  std::vector<OptionFeatures> features;   // of candidates
};

/// How much slower a device runs an operation than the quickest one does, by logarithm.
double slowness(const GraphView& graph, std::size_t operation, std::size_t device);

/// Makes plans as a simulator would run them: whenever devices are free, one of the operations that are ready is put on
/// one of them, drawn with a chance that grows exponentially with its logit; or all wait.
class Construction final : public PlanMaker {
 public:
  explicit Construction(const GraphView& graph);

  const Constructed& build(const LogitWeights& weights, const Incumbent& incumbent, double temperature, Rng& rng,
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
  OptionFeatures look(const Candidate& candidate, const Incumbent& incumbent) const;
  WaitFeatures look_at_waiting(const Incumbent& incumbent) const;
  bool decide(const LogitWeights& weights, const Incumbent& incumbent, double temperature, Rng& rng, Trace* trace);
  void start(std::uint32_t operation, std::uint32_t device);
  void finish(const Running& ended);
  bool is_on(std::uint32_t buffer, std::uint32_t device) const { return ((where_[buffer] >> device) & 1U) != 0; }

  const GraphView& graph_;
  Constructed made_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> missing_;        // by operation: operations it still waits for
  std::vector<std::uint32_t> to_read_;        // by buffer: readers that have not ended
  std::vector<std::uint64_t> where_;          // by buffer: devices that have it
  std::vector<std::uint32_t> made_at_;        // by buffer: step
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
