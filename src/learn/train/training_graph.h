#pragma once

#include <memory>
#include <string>
#include <vector>

#include "learn/policy/construction.h"
#include "learn/policy/features.h"
#include "learn/policy/training_request.h"
#include "plan/simulate/objective_cost.h"

namespace hone::learn {

/// One graph to learn from, with everything that does not change while a policy learns.
struct TrainingGraph {
  TrainingGraph(Workload workload, const Machine& machine, const Objective& objective);
  TrainingGraph(const TrainingGraph&) = delete;

  Problem problem;
  GraphView view;
  Incumbent first;  // what constructions lean on at first
  Features features;
  ObjectiveCost cost;   // forked by those who use it
  double standard = 0;  // what the genetic algorithm comes to without a policy: o_s of REGAL
  Incumbent incumbent;  // the best plan that training has seen
  double best = 0;      // its value
  Trace best_trace;     // its decisions, where they are learned from
};

/// Graphs made ready to learn from, which takes a while; none once Ctrl-C is pressed. Those that no plan of costs
/// anything, or that the machine cannot run, are named and left out. Throws InputError when none is left.
std::vector<std::unique_ptr<TrainingGraph>> make_training_graphs(const TrainingRequest& request,
                                                                 std::vector<Workload> workloads);

/// A drawn plan and what came of it.
struct Rollout {
  Trace trace;
  double value = 0;  // of the objective
  Constructed made;
};

/// Which graph to draw plans for, and what to lean on.
struct Assignment {
  std::size_t graph = 0;
  bool leans = false;  // on the best plan seen
  Head head = Head::autoregressive;
  Taste taste;
};

/// Draws `samples` plans for every assignment, in parallel; the same on any number of threads.
std::vector<std::vector<Rollout>> roll_out(const std::vector<std::unique_ptr<TrainingGraph>>& graphs,
                                           const std::vector<Assignment>& assignments, std::size_t samples,
                                           std::size_t threads, const Rng& rng);

}  // namespace hone::learn
