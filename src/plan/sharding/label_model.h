#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/sharding/reduction.h"

namespace hone {

/// A reduced sharding problem in flat arrays: variables with a label each, costs of labels and of pairs of them, and
/// what labels use over time. Times that no choice can make tight, or that others always are before, are left out.
///
/// A pair that must not be costs `forbidden()`, which is more than the costs of any two allowed choices differ by.
class LabelModel {
 public:
  using Labels = std::vector<std::uint32_t>;  // by variable

  /// An edge as seen from one of its ends.
  struct HalfEdge {
    std::uint32_t to = 0;
    std::uint32_t reverse = 0;  // the same edge seen from there
    std::size_t table = 0;      // begins here; row-major, own label first
  };
  /// What the labels of a variable use in [begin, end) beyond what the least of them does.
  struct Piece {
    std::uint32_t begin = 0, end = 0;  // ranks of times
    std::size_t usage = 0;             // begins here, by label
  };

  explicit LabelModel(const Reduction& reduction);

  std::size_t size() const { return cost_begin_.size() - 1; }
  std::size_t times() const { return capacity_.size(); }
  std::size_t labels(std::size_t variable) const { return cost_begin_[variable + 1] - cost_begin_[variable]; }
  std::size_t most_labels() const { return most_labels_; }
  double forbidden() const { return forbidden_; }
  /// Part of the cost of every choice.
  double fixed_cost() const { return fixed_cost_; }

  /// Where the labels of a variable begin in arrays over all labels of all variables.
  std::size_t place(std::size_t variable) const { return cost_begin_[variable]; }
  std::size_t label_count() const { return costs_.size(); }
  std::span<const double> costs() const { return costs_; }

  std::uint32_t edges_begin(std::size_t variable) const { return edge_begin_[variable]; }
  std::uint32_t edges_end(std::size_t variable) const { return edge_begin_[variable + 1]; }
  std::size_t half_edge_count() const { return half_edges_.size(); }
  const HalfEdge& half_edge(std::uint32_t id) const { return half_edges_[id]; }
  /// Costs of a label with every label at the other end.
  const double* row(const HalfEdge& edge, std::size_t label) const {
    return tables_.data() + edge.table + label * labels(edge.to);
  }

  std::span<const Piece> pieces(std::size_t variable) const { return pieces_[variable]; }
  double usage(const Piece& piece, std::size_t label) const { return usages_[piece.usage + label]; }
  /// What all pieces together may use, by rank of time.
  std::span<const double> capacity() const { return capacity_; }

  /// The cost of a choice in the problem itself.
  double cost(const Labels& label_of) const;
  /// What a choice uses, by rank of time.
  std::vector<double> usage(const Labels& label_of) const;
  /// What each label of all variables has to pay when a unit used costs `price` by rank of time.
  std::vector<double> dues(std::span<const double> price) const;
  /// The strategies of all nodes of the problem.
  std::vector<std::uint32_t> strategies(const Labels& label_of) const;

 private:
  void add_variables();
  void add_edges();
  void find_forbidden();
  void add_pieces();

  const Reduction& reduction_;
  std::vector<std::size_t> source_;  // by variable: its place in the reduction, where those of one label count too
  std::vector<std::uint32_t> variable_of_;  // the reverse
  double fixed_cost_ = 0, forbidden_ = 0;
  std::size_t most_labels_ = 0;
  std::vector<std::size_t> cost_begin_;
  std::vector<double> costs_;
  std::vector<std::uint32_t> edge_begin_;
  std::vector<HalfEdge> half_edges_;
  std::vector<double> tables_;
  FlatLists<Piece> pieces_;  // by variable
  std::vector<double> usages_, capacity_;
};

}  // namespace hone
