#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "learn/policy/plan_in_time.h"

namespace hone {

/// What can be done to a plan around one operation.
enum class MoveKind : std::uint8_t {
  place,   // it runs on another device
  gather,  // it and others that hang together with it run there
  swap,    // it and an operation that runs there change places
  pull,    // it starts earlier, and before it all that it waits for
  push,    // it starts later, and after it all that waits for it
  count
};

/// What a policy looks at when it could make a move; all of it is scale-free.
enum class MoveFeature : std::uint8_t {
  place,
  gather,
  swap,
  pull,
  push,      // 1 for the kind of the move
  share,     // of the blame that the operation has
  made,      // bytes it makes
  freed,     // bytes that nobody needs after it
  crowd,     // operations that move
  distance,  // by which they move in the order
  net,       // bytes that they make less those they free
  crosses,   // 1 where they move over the moment when most is held
  affinity,  // how much more of what the operations read and make is on the device they go to
  excess,    // bytes the device they go to would hold beyond the peak
  room,      // bytes that it could hold more
  slower,    // time on the device they go to against now
  tail,      // time from the operation to the end of everything
  waited,    // time that the operation was ready but did not run
  off_peak,  // 1 where the operation is not on the device that holds most
  tried,     // how often the operation was moved in vain
  count
};
inline constexpr std::size_t kMoveFeatures = static_cast<std::size_t>(MoveFeature::count);
using MoveFeatures = std::array<float, kMoveFeatures>;

/// What to make of all that: for each operation its own weights, or the same for all.
struct MoveWeights {
  std::vector<float> rows;  // by operation * kMoveFeatures; of all operations alike when there are only kMoveFeatures

  std::span<const float> of(std::size_t operation) const {
    return std::span(rows).subspan(rows.size() == kMoveFeatures ? 0 : operation * kMoveFeatures, kMoveFeatures);
  }
};

/// One change that could be made.
struct PlanMove {
  MoveKind kind = MoveKind::place;
  std::uint32_t operation = 0;
  std::uint32_t device = 0;               // where to, of moves between devices
  std::uint32_t target = 0;               // position, of moves in the order
  std::vector<std::uint32_t> operations;  // all that move; in the order: by position
  MoveFeatures features{};

  bool is_in_order() const { return kind >= MoveKind::pull; }
  /// Where an operation goes, of a move between devices that begins with the first operation on `from`.
  std::uint32_t device_for(std::uint32_t moved, std::uint32_t from) const {
    return kind == MoveKind::swap && moved != operation ? from : device;
  }
};

/// Draws moves that matter: around operations that are to blame, and such that something is different afterwards.
class Moves {
 public:
  /// Operations that are to blame are drawn in `focus` of all cases.
  Moves(const PlanInTime& plan, double focus);

  /// None where chance has found none.
  std::optional<PlanMove> draw(Rng& rng);
  /// Takes back a move that is no longer wanted, for its memory.
  void discard(PlanMove&& move) { spare_.push_back(std::move(move.operations)); }
  /// How the order is changed by a move; valid until the next call.
  Stretch stretch(const PlanMove& move);
  /// Takes note that a move did not help; forgotten when one did.
  void failed(const PlanMove& move) { ++tried_[move.operation]; }
  void helped() { std::ranges::fill(tried_, 0U); }

 private:
  std::uint32_t pick(Rng& rng) const;
  bool may_run(std::uint32_t operation, std::uint32_t device) const;
  bool complete_between_devices(PlanMove& move, Rng& rng);
  bool complete_swap(PlanMove& move, Rng& rng) const;
  bool complete_gathering(PlanMove& move, Rng& rng);
  bool complete_in_order(PlanMove& move, Rng& rng);
  bool collect(PlanMove& move);
  void look(PlanMove& move) const;
  void look_at_devices(PlanMove& move) const;
  void look_at_order(PlanMove& move) const;
  double freed_by(std::uint32_t operation) const;

  const PlanInTime& plan_;
  const GraphView& graph_;
  double focus_;
  double longest_tail_ = 1e-300;
  std::vector<std::uint32_t> tried_;  // by operation
  std::vector<std::uint32_t> mark_;   // by operation: the last collection it was met in
  std::uint32_t marks_ = 0;
  std::vector<std::uint32_t> stretch_;
  std::vector<std::vector<std::uint32_t>> spare_;  // memory of moves that were discarded
};

}  // namespace hone
