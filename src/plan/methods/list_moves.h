#pragma once

#include <array>
#include <optional>
#include <vector>

#include "plan/methods/critical_waits.h"
#include "plan/methods/durations.h"
#include "plan/methods/list_guidance.h"
#include "plan/problem/timeline.h"
#include "plan/search/search.h"

namespace hone {

/// When and where everything runs in a plan.
struct ListPoint {
  std::vector<double> starts, finishes;  // by operation
  std::vector<DeviceId> device_of;       // by operation
  double seconds = 0;                    // until all is done
  CriticalWaits waits;

  /// Operations of one group run as one.
  static ListPoint of(const Timeline& timeline, const Plan& plan, const Problem& problem);
};

/// Draws guidance for list schedules: by the longest paths of the graph, or near a plan. Which kinds of move are made
/// more often is learned from what they were good for.
class ListMoves {
 public:
  /// What is kept of the plan: nothing; its order, more or less, and its devices as far as they are worth it; all
  /// outside a window of time; all but the devices of some connected operations, drawn blindly or from those that make
  /// the plan as long as it is.
  enum class Kept { nothing, order, outside_window, outside_clusters, outside_waits };
  struct Move {
    Kept kept = Kept::nothing;
    Direction direction = Direction::forward;
  };

  explicit ListMoves(const Durations& durations);

  /// What is tried first, whatever the seed: the longest paths both ways, at several prices.
  std::vector<ListGuidance> first_tries() const;
  /// A kind of move, by chance and success.
  Move draw_move(Rng& rng) const;
  /// Guidance for such a move away from `point`.
  ListGuidance draw(const Move& move, const ListPoint& point, Rng& rng) const;
  /// The same order from the other end: what a pass has placed last comes first. With a chance, devices are kept as far
  /// as they are worth it, or operations pulled to where their neighbours were.
  ListGuidance turned(ListGuidance guidance, std::span<const double> finishes, std::span<const DeviceId> device_of,
                      Rng& rng) const;
  void learn(const Move& move, bool was_better);

 private:
  static constexpr std::size_t kKinds = 10;

  std::size_t device_count() const { return durations_.problem().machine.device_count(); }
  std::vector<double> drawn_paths(Direction direction, Rng& rng) const;
  std::vector<float> drawn_pulls(const ListGuidance& guidance, std::span<const DeviceId> device_of, double seconds,
                                 Rng& rng) const;
  std::vector<float> pull_to(std::span<const DeviceId> device_of, double seconds) const;
  void keep_order(ListGuidance& guidance, const ListPoint& point, Rng& rng) const;
  void open_window(ListGuidance& guidance, const ListPoint& point, Rng& rng) const;
  void move_clusters(ListGuidance& guidance, const ListPoint& point, Rng& rng) const;
  void end_waits(ListGuidance& guidance, const ListPoint& point, Rng& rng) const;
  OperationId drawn_neighbour(OperationId operation, Rng& rng) const;
  DeviceId drawn_device(OperationId operation, const ListPoint& point, Rng& rng) const;
  std::vector<OperationId> drawn_cluster(OperationId first, std::span<const DeviceId> device_of, Rng& rng) const;

  const Durations& durations_;
  std::vector<double> ahead_, ahead_moving_;    // longest paths to the end, without and with transfers
  std::vector<double> behind_, behind_moving_;  // the same from the start
  std::array<double, kKinds> success_{};
};

}  // namespace hone
