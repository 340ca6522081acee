#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/problem/sharding_problem.h"

namespace hone {

/// A sharding problem made smaller such that some best choice survives. Nodes whose strategies determine one another
/// become one variable: the layers of a repeated model usually do, so that tens of thousands of nodes become hundreds.
///
/// Costs of 10^15 and more mean never. Where no choice avoids them nothing is reduced.
class Reduction {
 public:
  static constexpr double kNever = 1e15;

  /// A node and its strategy for each label of the variable it belongs to.
  struct Member {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> strategy_of = {};
  };
  struct Variable {
    std::vector<double> costs;  // by label
    std::vector<Member> members;
    std::vector<std::uint32_t> edges;

    std::size_t labels() const { return costs.size(); }
  };
  struct Edge {
    std::uint32_t first = 0, second = 0;
    std::vector<double> costs = {};  // row-major over the labels of the two
  };

  explicit Reduction(const ShardingProblem& problem);

  const ShardingProblem& problem() const { return problem_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// What the strategy of a member for a label uses while it is alive.
  double usage(const Member& member, std::size_t label) const;
  /// The strategies of all nodes for a label of every variable.
  std::vector<std::uint32_t> strategies(std::span<const std::uint32_t> label_of) const;

 private:
  using Kept = std::vector<std::vector<char>>;  // by variable and label

  /// Where each variable goes when some are joined: its new place and, for each new label, which of its own that was.
  struct Joined {
    std::vector<std::uint32_t> place;
    std::vector<std::vector<std::uint32_t>> label_of;
    std::size_t count = 0;
  };

  void load();
  bool reduce();
  Kept keep_all() const;
  bool remove_impossible();
  std::size_t remove_dominated();
  bool dominates(std::size_t variable, std::size_t better, std::size_t worse) const;
  bool uses_no_more(std::size_t variable, std::size_t better, std::size_t worse) const;
  std::size_t join_determined();
  std::vector<std::uint32_t> bijection(const Edge& edge) const;
  Joined find_joined(const std::vector<std::vector<std::uint32_t>>& bijections) const;
  void apply(const Joined& joined);
  std::size_t fold_single();
  std::size_t normalise();
  void keep_only(const Kept& kept);
  void set_edges(std::vector<Edge> edges);
  void index_edges();
  std::size_t label_count() const;
  std::uint32_t other_end(std::uint32_t edge, std::size_t variable) const;
  double cost(std::uint32_t edge, std::size_t variable, std::size_t own, std::size_t other) const;

  const ShardingProblem& problem_;
  std::vector<Variable> variables_;
  std::vector<Edge> edges_;
};

}  // namespace hone
