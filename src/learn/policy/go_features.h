#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learn/policy/features.h"
#include "learn/policy/graph_view.h"
#include "plan/methods/list_moves.h"
#include "plan/search/task.h"

namespace hone {

/// Names what all columns of GO's networks mean. A policy that was trained on others is refused.
inline constexpr std::string_view kGoSchema = "hone-go-1";
inline constexpr std::size_t kGoSeen = 8;      // numbers about an operation in the plan that is refined
inline constexpr std::size_t kGoPair = 9;      // numbers about an operation and a device
inline constexpr std::size_t kGoOverall = 10;  // numbers about a graph, a machine and a plan as a whole

/// Which of its tasks a policy is asked about, operation by operation; with none of them it decides only what is about
/// all operations at once.
struct GoTasks {
  bool place = true, schedule = true, fuse = false;

  static GoTasks none() { return {.place = false, .schedule = false}; }
  /// Those that a task decides.
  static GoTasks of(const Task& task);

  bool any() const { return place || schedule || fuse; }
};

/// What the network sees of a problem whatever the plan: rows of operations (`kFeatures` columns), of which those about
/// an order speak of the topological one, so that the cost is linear in the graph.
Features go_features_of(const GraphView& graph);

/// What it sees of a plan that is to be refined, or of there being none yet.
struct GoSight {
  std::vector<float> seen;     // a row of kGoSeen an operation; none where it is asked about no operation
  std::vector<float> pairs;    // a row of kGoPair for operation * devices + device; none where nothing is placed
  std::vector<float> overall;  // kGoOverall
};

/// How far a chain of plans has come.
struct GoHistory {
  std::size_t passes = 0;                     // so far
  std::size_t stalled = 0;                    // of these, since the last that was better than the one before
  Direction direction = Direction::backward;  // of the last one
};

/// Refinement is blind without what comes of the last plan: `point` says when and where everything ran, nothing stands
/// for no plan. Renaming devices that are alike renames rows of pairs and nothing else.
GoSight go_sight_of(const GraphView& graph, const ListPoint* point, const GoHistory& history, const GoTasks& tasks);

}  // namespace hone
