#pragma once

#include <string>
#include <vector>

#include "learn/policy/go_features.h"
#include "learn/policy/policy.h"

namespace hone {

/// Levels by which an operation moves up or down an order; the middle one leaves it where it is.
inline constexpr std::size_t kGoLevels = 5;
/// Levels of a fusion's priority, the lowest first, and one that leaves it as it was.
inline constexpr std::size_t kGoFusions = 5;
/// Ways to make a list schedule (see GoPass).
inline constexpr std::size_t kGoPasses = 32;
/// Numbers that speak about all operations at once: logarithms of what leaving neighbours costs and leaving a device,
/// and of how far an order is shuffled.
inline constexpr std::size_t kGoPulls = 3;
inline constexpr std::size_t kGoGraphOutputs = kGoPasses + kGoPulls;

/// Nodes of a segment. What a node attends to is at most twice that, so that memory grows with the graph and no faster.
inline constexpr std::size_t kGoSegment = 128;
/// The tasks, in the order in which they are solved by the same layers.
inline constexpr std::size_t kGoTaskCount = 3;

/// Scores of all choices: softmaxes of independent decisions, given the graph and the plan before.
struct GoScores {
  std::vector<float> place;     // by operation, then: left alone, on the first device, on the second, ...
  std::vector<float> schedule;  // by operation, then level
  std::vector<float> fuse;      // by operation, then level
  std::vector<float> graph;     // of ways to make a schedule, and means of pulls
};

/// Names of the networks of a policy.
inline constexpr std::string_view kGoEncoder = "encoder", kGoDecision = "decision", kGoPlace = "place",
                                  kGoSchedule = "schedule", kGoFuse = "fuse", kGoGraph = "graph";
/// Arrays of no layer, of the network for devices: what a pair of operation and device adds to a row, what rows are
/// worth, what columns of pairs are worth as they are, and the same for leaving an operation alone.
inline constexpr const char *kGoPairMap = "pair", *kGoPairHead = "head", *kGoPairRule = "rule", *kGoLeave = "leave",
                            *kGoLeaveBias = "leave_bias";

/// GO: Zhou et al., "Transferable graph optimizers for ML compilers", 2020. GraphSAGE with max pooling encodes the
/// graph; one stack of layers, attention over segments among them, each gated by the embedding of the whole graph
/// (superposition), is gone through for placement, then for scheduling, then for fusion, and what it gave for the task
/// before is added to what it reads (recurrent attention). Devices are described, not numbered, so that one policy
/// serves any machine.
const PolicyKind& go_policy();

/// Throws InputError (usage) for a policy of another kind.
const PolicyKind& as_go_policy(const PolicyKind& kind);

/// A policy with a part taken away: `attention`, `superposition` or `recurrence` (tasks do not see each other).
enum class GoWithout : std::uint8_t { nothing, attention, superposition, recurrence };
/// By that name; nothing for any other.
GoWithout go_without(std::string_view name);
/// Of a card: the part that a policy was trained without, which it is used without too.
inline constexpr const char* kGoWithoutEntry = "without";
/// The layers that are gone through without that part: rows go through those that are left out as they are.
NetworkSpec go_layers_without(NetworkSpec spec, GoWithout without);

/// Devices that may run an operation; others are never chosen.
bool go_may_run(const GraphView& graph, std::size_t operation, std::size_t device);

/// Rows that the layers of the decision read for a task: embeddings, with what they gave for the task before added;
/// what is seen of the plan; which task it is.
std::vector<float> go_decision_rows(std::span<const float> embedded, std::span<const float> before,
                                    const GoSight& sight, std::size_t task);

/// A policy evaluated without any library.
class GoNetwork {
 public:
  /// What the policy was trained without is taken away as well.
  explicit GoNetwork(const Policy& policy, GoWithout without = GoWithout::nothing);

  /// Rows of operations, whatever the plan.
  std::vector<float> encode(const GraphView& graph, const Features& features) const;
  GoScores decide(const GraphView& graph, std::span<const float> embedded, const GoSight& sight,
                  const GoTasks& tasks) const;

 private:
  std::vector<float> run_layers(const GraphView& graph, std::span<const float> rows,
                                std::span<const float> condition) const;
  std::vector<float> place_scores(const GraphView& graph, std::span<const float> rows, const GoSight& sight) const;

  const Policy& policy_;
  GoWithout without_;
  std::optional<Network> ablated_;  // the decision's network without a part
};

/// The mean of rows: the embedding of a graph.
std::vector<float> mean_row(std::span<const float> rows, std::size_t count);

}  // namespace hone
