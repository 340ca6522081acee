#pragma once

#include "learn/policy/go_choice.h"
#include "plan/methods/list_decoder.h"
#include "plan/methods/list_moves.h"
#include "plan/search/task.h"

namespace hone {

/// How decisions become a plan.
enum class GoDecode : std::uint8_t {
  list,    // they guide one pass of the list constructor, which decides the rest
  direct,  // as published: device and priority of every operation as they are
};

/// Makes plans of a policy's decisions. Whatever is not decided is as in the plan before.
class GoDecoder {
 public:
  /// The graph and the task must outlive it.
  GoDecoder(const GraphView& graph, const Task& task, GoDecode decode);

  /// Where chains begin that need a plan to refine: stretches of the topological order, of equal work for each device,
  /// which is what tells devices apart that are alike.
  Decisions stretches(const Plan& start) const;
  /// Decisions of the task. `point` is what came of the plan before, null at first, which only lists can do with;
  /// `before` its decisions, or those to begin with.
  Decisions decode(const GoChoice& choice, const ListPoint* point, const Decisions& before, const Plan& start);
  /// What came of the last plan, so that the next one fits.
  void learn_fit(const Cost& cost);

 private:
  ListGuidance guidance_of(const GoChoice& choice, const ListPoint* point, const Plan& start) const;
  ListGuidance moved(const GoChoice& choice, const ListPoint& point) const;
  std::vector<double> keys_of(const GoChoice& choice, const ListPoint* point) const;
  void add_pulls(const GoChoice& choice, const ListPoint& point, std::vector<float>& bias) const;
  void add_wishes(const GoChoice& choice, double seconds, std::vector<float>& bias) const;
  Plan direct_plan(const GoChoice& choice, const ListPoint& point, const Plan& start) const;
  void set_fusions(const GoChoice& choice, const Decisions& before, Decisions& row) const;

  const GraphView& graph_;
  const Task& task_;
  GoTasks tasks_;
  GoDecode decode_;
  Durations durations_;
  ListDecoder decoder_;
  ListMoves moves_;
  std::vector<double> ahead_, behind_;  // longest paths with transfers, to the end and from the start
  double room_ = 1;
};

}  // namespace hone
