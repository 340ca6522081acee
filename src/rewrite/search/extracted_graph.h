#pragma once

#include "rewrite/search/cycle_filter.h"
#include "rewrite/search/extraction.h"

namespace hone {

/// The choices that an e-graph leaves for the outputs of the graph it began with, and how to make a graph of some.
class EGraphExtraction {
 public:
  using NodeSeconds = std::function<double(const Graph&, NodeId)>;
  EGraphExtraction(const EGraph& egraph, const CycleFilter& filter, const NodeSeconds& seconds);

  const ExtractionProblem& problem() const { return problem_; }
  /// The oldest maker of every class: what the e-graph began with, where that has the class.
  Selection oldest() const;
  /// The selection as a graph: `original` with the nodes that were chosen. Its inputs, its outputs and the ids of its
  /// values stay.
  Graph build(const Graph& original, const Selection& selection) const;

 private:
  class Builder;
  std::uint32_t number_of(ValueId id) const { return numbers_[egraph_.leader(id).index()]; }

  const EGraph& egraph_;
  ExtractionProblem problem_;
  std::vector<ValueId> leaders_;        // by class
  std::vector<std::uint32_t> numbers_;  // of classes, by leader
  std::vector<ValueId> sources_;        // by class; none for what is made
  std::vector<NodeId> nodes_;           // by choice
};

}  // namespace hone
