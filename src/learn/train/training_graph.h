#pragma once

#include <memory>
#include <string>
#include <vector>

#include "learn/policy/construction.h"
#include "learn/policy/features.h"
#include "learn/policy/plan_policy.h"
#include "learn/policy/training_request.h"
#include "learn/train/trainer.h"
#include "plan/methods/genes.h"
#include "plan/search/search.h"
#include "plan/simulate/objective_cost.h"

namespace hone::learn {

/// One graph to learn from, with everything that does not change while a policy learns.
struct TrainingGraph {
  TrainingGraph(Workload workload, const Machine& machine, const Objective& objective);
  TrainingGraph(const TrainingGraph&) = delete;

  GraphInput input() const { return input_of(view, features); }

  Problem problem;
  GraphView view;
  Incumbent first;  // what constructions refer to at first
  Features features;
  ObjectiveCost cost;   // forked by those who use it
  double standard = 0;  // what the genetic algorithm comes to without a policy: o_s of REGAL
  Incumbent incumbent;  // the best plan that training has seen
  double best = 0;      // its value
  Trace best_trace;     // its decisions, where they are learned from
};

/// What searches that policies are measured by decide.
inline constexpr std::string_view kTrainingTasks = "place+schedule";

/// What the genetic algorithm comes to under some guidance.
double evolved_value(const TrainingGraph& graph, const GeneGuidance& guidance, const SearchSettings& settings);

/// Graphs of the user, made ready to learn from: those that no plan of costs anything, or that the machine cannot run,
/// are named and left out.
class WorkloadExamples final : public ExampleSource<TrainingGraph> {
 public:
  WorkloadExamples(const TrainingRequest& request, std::vector<Workload> workloads);

  std::string fingerprint() const override { return fingerprint_; }
  /// Solves all graphs without a policy. Throws InputError when none is left.
  void prepare() override;
  std::size_t size() const override { return graphs_.size(); }
  TrainingGraph& at(std::size_t index) const override { return *graphs_[index]; }

 private:
  TrainingRequest request_;
  std::string fingerprint_;
  std::vector<Workload> workloads_;  // until they are prepared
  std::vector<std::unique_ptr<TrainingGraph>> graphs_;
};

/// A drawn plan and what came of it.
struct Rollout {
  Trace trace;
  double value = 0;  // of the objective
  Constructed made;
};

/// Which graph to draw plans for, and from which incumbent.
struct Assignment {
  TrainingGraph* graph = nullptr;
  bool improves = false;  // the best plan seen
  LogitWeights weights;
};

/// Draws `samples` plans for every assignment, in parallel; the same on any number of threads.
std::vector<std::vector<Rollout>> roll_out(const PlanPolicyKind& kind, const std::vector<Assignment>& assignments,
                                           std::size_t samples, std::size_t threads, const Rng& rng);

}  // namespace hone::learn
