#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "learn/network/graph_input.h"
#include "rewrite/search/space.h"

namespace hone {

/// How often a graph has a row: more or less often than the last graph of the scene; of the last itself, how often.
struct RowShare {
  std::uint32_t graph = 0, row = 0;
  float times = 0;
};

/// What a policy sees of a state and the rewrites it offers: rows of numbers and edges between them, and which rows the
/// actions are about. Kinds of policies fill it as they need it.
struct RewriteScene {
  std::size_t nodes = 0;                   // rows
  std::vector<float> rows;                 // of features
  FlatLists<std::uint32_t> before, after;  // by row: where edges come from, where they go to
  std::vector<float> edge_rows;            // of features, in the order of `before`; may be empty
  std::vector<std::uint32_t> actions;      // rewrites in their order, then stopping: the row of each, or its graph
  std::vector<std::uint64_t> classes;      // of rows, where policies share them: equal ones are the same in any scene
  std::vector<RowShare> shares;            // of rows in the graphs of actions, likewise

  GraphInput input() const {
    return {.nodes = nodes, .rows = rows, .edges = {&before, &after}, .edge_rows = edge_rows};
  }
  /// Takes edges as pairs from, to, the features of each with them, and lists them from both ends.
  void set_edges(std::vector<std::pair<std::uint32_t, std::uint32_t>> edges, std::span<const float> features = {});
};

/// What is decided about.
struct RewriteQuestion {
  const RewriteSpace& space;
  const RewriteState& state;
  std::span<const RewriteOption> options;
  double share_left = 1;  // of the rewrites that an episode may have
};

/// What a policy says about the actions of a scene.
struct ActionScores {
  std::vector<float> logits;  // of rewrites, then of stopping
  float value = 0;            // what is expected to come, in percent of the time at the start
};

/// Chances of actions by their logits.
std::vector<double> chances_of(std::span<const float> logits);

}  // namespace hone
