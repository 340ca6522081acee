// Monte-Carlo tree search for one player: Schadd et al., "Single-player Monte-Carlo tree search", 2008, with
// progressive widening (Couetoux et al., "Continuous upper confidence trees", 2011). The graph is cut into stages in
// topological order; a child of a node differs from it at the next stage. What comes after is completed by the best
// decisions known, changed a little at random. After some playouts the best child becomes the root.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plan/methods/energy.h"
#include "plan/methods/staged_search.h"

namespace hone {
namespace {

/// What can be chosen about Monte-Carlo tree search.
struct MctsParameters {
  std::int64_t stages = 24;
  std::int64_t playouts = 16;
  std::int64_t batch = 4;
  double explore = 0.3;
  double widen = 0.6;
  double greed = 1;
  double wander = 0.3;

  Parameters list() {
    return Parameters()
        .add("stages", &stages, {1, 1e6}, "parts the graph is cut into, in topological order")
        .add("playouts", &playouts, {1, 1e9}, "evaluations before one of the root's children becomes the root")
        .add("batch", &batch, {1, 1e4}, "leaves evaluated at once")
        .add("explore", &explore, {0, 100}, "weight of what has seldom been visited")
        .add("widen", &widen, {0, 1}, "a node visited n times has up to n to this power children")
        .add("greed", &greed, {0, 1}, "weight of a node's best playout against its average one")
        .add("wander", &wander, {0, 1}, "share of playouts that change something at later stages");
  }
};

/// Plans that differ stage by stage, as a tree.
class Tree {
 public:
  using Edits = std::vector<std::pair<std::uint32_t, float>>;  // decisions, by site

  struct Node {
    std::size_t parent = 0;
    std::size_t depth = 0;  // the stage that its children decide
    Edits edits;            // what it decides otherwise than its parent
    std::vector<std::size_t> children;
    double visits = 0, sum = 0, best = std::numeric_limits<double>::infinity();
  };

  explicit Tree(Decisions base) : base_(std::move(base)), nodes_(1) {}

  const Node& node(std::size_t i) const { return nodes_[i]; }
  std::size_t root() const { return root_; }

  std::size_t add_child(std::size_t parent, Edits edits) {
    nodes_[parent].children.push_back(nodes_.size());
    nodes_.push_back({.parent = parent, .depth = nodes_[parent].depth + 1, .edits = std::move(edits)});
    return nodes_.size() - 1;
  }

  Decisions decisions(std::size_t node) const {
    std::vector<std::size_t> path;
    for (; node != root_; node = nodes_[node].parent) path.push_back(node);
    Decisions row = base_;
    for (auto step = path.rbegin(); step != path.rend(); ++step)
      for (const auto& [site, key] : nodes_[*step].edits) row[site] = key;
    return row;
  }

  /// Counts a visit whose outcome is not known yet, all the way up.
  void visit(std::size_t node) {
    for (;; node = nodes_[node].parent) {
      ++nodes_[node].visits;
      if (node == root_) return;
    }
  }
  /// Adds the outcome of a visit.
  void credit(std::size_t node, double energy) {
    for (;; node = nodes_[node].parent) {
      nodes_[node].sum += energy;
      nodes_[node].best = std::min(nodes_[node].best, energy);
      if (node == root_) return;
    }
  }

  /// Makes the child with the best playout the root.
  void descend() {
    const std::vector<std::size_t>& children = nodes_[root_].children;
    const std::size_t best = *std::ranges::min_element(children, {}, [&](std::size_t i) { return nodes_[i].best; });
    base_ = decisions(best);
    root_ = best;
  }

 private:
  Decisions base_;  // of the root
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

class TreeSearch final : public StagedSearch {
 public:
  explicit TreeSearch(const MctsParameters& parameters) : parameters_(parameters) {}

  Parameters parameters() override { return parameters_.list(); }

 protected:
  void run_stages(Search& search, Neighborhood& neighborhood) override {
    best_ = search.task().encode(search.best_plan());
    best_score_ = search.best();
    energy_.emplace(search, best_score_);
    while (pass(search, neighborhood)) continue;
  }

 private:
  struct Leaf {
    std::size_t node = 0;
    Neighborhood::Change change{};
    bool is_changed = false;
  };

  /// From the first stage to the last; false when the budget is spent.
  bool pass(Search& search, Neighborhood& neighborhood) {
    const Stages stages = cut(search, parameters_.stages);
    Tree tree(best_);
    least_ = most_ = std::min((*energy_)(best_score_), kNever);
    ceiling_ = std::min(kCeiling * least_, kNever);
    while (tree.node(tree.root()).depth < stages.count()) {
      for (std::int64_t done = 0; done < parameters_.playouts; done += parameters_.batch)
        if (!play(search, neighborhood, stages, tree)) return false;
      tree.descend();
    }
    return true;
  }

  /// Evaluates a batch of leaves; false when the budget is spent.
  bool play(Search& search, Neighborhood& neighborhood, const Stages& stages, Tree& tree) {
    rows_.clear();
    leaves_.clear();
    for (std::int64_t i = 0; i < parameters_.batch; ++i) {
      std::size_t node = select(tree, stages);
      Leaf leaf{.node = node};
      Decisions row = tree.decisions(node);
      if (tree.node(node).depth < stages.count()) leaf = expand(neighborhood, stages, tree, row, node);
      tree.visit(leaf.node);
      wander(neighborhood, stages, tree.node(leaf.node).depth, row);
      leaves_.push_back(leaf);
      rows_.insert(rows_.end(), row.begin(), row.end());
    }
    const std::span<const Cost> costs = search.evaluate(rows_);
    for (std::size_t i = 0; i < costs.size(); ++i) settle(neighborhood, tree, i, search.score(costs[i]));
    return costs.size() == leaves_.size();
  }

  /// Adds a child, of which the first changes nothing.
  Leaf expand(Neighborhood& neighborhood, const Stages& stages, Tree& tree, Decisions& row, std::size_t node) {
    if (tree.node(node).children.empty()) return {.node = tree.add_child(node, {})};
    const Decisions before = row;
    neighborhood.aim(stages.operations(tree.node(node).depth), 1);
    const Neighborhood::Change change = neighborhood.change_some(row, rng_);
    Tree::Edits edits;
    for (std::uint32_t site = 0; site < row.size(); ++site)
      if (row[site] != before[site]) edits.emplace_back(site, row[site]);
    return {.node = tree.add_child(node, std::move(edits)), .change = change, .is_changed = true};
  }

  /// Changes something at one of the stages that are not decided yet, in some playouts.
  void wander(Neighborhood& neighborhood, const Stages& stages, std::size_t depth, Decisions& row) {
    if (depth >= stages.count() || rng_.uniform() >= parameters_.wander) return;
    neighborhood.aim(stages.operations(depth + rng_.below(stages.count() - depth)), 1);
    neighborhood.change(row, rng_);
  }

  void settle(Neighborhood& neighborhood, Tree& tree, std::size_t i, const Score& score) {
    const double energy = std::min((*energy_)(score), ceiling_);
    if (leaves_[i].is_changed) neighborhood.learn(leaves_[i].change, score < best_score_);
    tree.credit(leaves_[i].node, energy);
    least_ = std::min(least_, energy);
    most_ = std::max(most_, energy);
    if (best_score_ < score) return;
    best_score_ = score;
    const auto row = std::span(rows_).subspan(i * best_.size(), best_.size());
    std::ranges::copy(row, best_.begin());
  }

  /// The node to expand: down the most promising children until one may have more of them.
  std::size_t select(const Tree& tree, const Stages& stages) const {
    std::size_t at = tree.root();
    for (;;) {
      const Tree::Node& node = tree.node(at);
      const double room = std::pow(node.visits + 1, parameters_.widen);
      if (node.depth == stages.count() || static_cast<double>(node.children.size()) < room) return at;
      at = *std::ranges::max_element(node.children, {},
                                     [&](std::size_t child) { return promise(tree.node(child), node.visits); });
    }
  }

  double promise(const Tree::Node& node, double visits_of_parent) const {
    const double explored = parameters_.explore * std::sqrt(std::log(visits_of_parent + 1) / node.visits);
    if (node.best > ceiling_ || !(most_ > least_)) return explored;  // nothing is known of it yet
    const double outcome = parameters_.greed * node.best + (1 - parameters_.greed) * node.sum / node.visits;
    return (most_ - outcome) / (most_ - least_) + explored;
  }

  static constexpr double kNever = 1e6;     // energy of plans that never end
  static constexpr double kCeiling = 1.25;  // what is worse than the best by more is all the same

  MctsParameters parameters_;
  Decisions best_;
  Score best_score_;
  std::optional<Energy> energy_;
  double least_ = 0, most_ = 0, ceiling_ = 0;  // energies met in this pass, and the most that counts
  Decisions rows_;
  std::vector<Leaf> leaves_;
};

const OptimizerKind mcts_kind = OptimizerKind::with_parameters<TreeSearch, MctsParameters>(
    "mcts", "Monte-Carlo tree search, part by part of the graph");

}  // namespace
}  // namespace hone
