#pragma once

#include <string>

#include "learn/policy/policy.h"
#include "learn/rewrite/rewrite_scene.h"

namespace hone {

/// A kind of policy that says which rewrite to take next: what it sees of a state, and what it makes of that.
class RewritePolicyKind : public PolicyKind {
 public:
  using PolicyKind::PolicyKind;

  virtual RewriteScene scene(const RewriteQuestion& question) const = 0;
  /// Without any library for learning; `learn/train` has the same with gradients.
  virtual ActionScores scores(const Policy& policy, const RewriteScene& scene) const = 0;
};

/// Ours: one scorer, shared by all candidates and blind to their order, over the graph encoded once and the local
/// change of each candidate. Work grows with the graph plus the candidates, of which there may be any number.
const RewritePolicyKind& rewrite_policy();
/// As published in X-RLflow (He, Parker, Yoneki, MLSys 2023): the whole graph of every candidate, in a fixed number of
/// slots; nodes that are alike in several graphs are worked on once.
const RewritePolicyKind& xrlflow_policy();

/// Throws InputError (usage) for a policy that is not about rewrites.
const RewritePolicyKind& as_rewrite_policy(const PolicyKind& kind);

/// A policy by name: a file, one that is built in, or `untrained` or `zero-step` of the kind given. Throws InputError
/// for a policy of another kind.
Policy rewrite_policy_named(const std::string& name, const RewritePolicyKind& kind);

/// Networks speak of values in units of so many percent, so that their errors do not drown what is learned of choices.
inline constexpr float kValuePercent = 10;

/// Columns of what `rewrite_policy` sees of a row.
enum class RewriteColumn : std::uint8_t {
  is_node,
  is_candidate,
  is_whole,
  seconds,  // of a node: its price; of a candidate: what it saves
  bytes,    // that a node makes
  readers,  // of a node
  nodes,    // that a candidate adds; of the whole: candidates on offer
  taken,    // nodes that a candidate matches; of the whole: share of the episode that is left
  gone,     // of the whole: what was saved so far
};
inline constexpr std::size_t kRewriteNumbers = static_cast<std::size_t>(RewriteColumn::gone) + 1;
inline constexpr std::size_t kFamilyColumns = 16, kRuleColumns = 32;  // by hash

inline constexpr std::string_view kRewriteScorer = "scorer";
/// Array of no layer: what the columns of a row are worth as they are.
inline constexpr const char* kRewriteRule = "rule";
/// Outputs of the scorer: the logit of a row, and the value that the row of the whole speaks of.
inline constexpr std::size_t kRewriteOutputs = 2;

/// Networks of `xrlflow_policy`: over nodes, over sums of their rows, over all slots.
inline constexpr std::string_view kXrlGraphs = "graphs", kXrlReadout = "readout", kXrlChoice = "choice",
                                  kXrlValue = "value";
inline constexpr std::size_t kXrlWidth = 64, kXrlReadoutWidth = 32, kXrlSlots = 224, kXrlEdgeColumns = 4;
/// What stands for the graph of a candidate that has no slot, and the logit that it is never chosen with.
inline constexpr std::uint32_t kXrlNoSlot = UINT32_MAX;
inline constexpr float kXrlMasked = -1e10F;
/// Rows of nodes to rows of graphs: sums, with the global feature, which is 0, behind.
std::vector<float> xrl_graph_sums(std::span<const float> node_rows, const RewriteScene& scene);
/// Readouts of all graphs in their slots; those that stay empty are zero.
std::vector<float> xrl_slots(std::span<const float> readouts);

}  // namespace hone
