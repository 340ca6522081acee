#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "cli/plan_outputs.h"
#include "cli/workload_source.h"
#include "plan/machine/machine.h"

namespace hone {

/// What the user wants of `hone plan`.
struct PlanRequest {
  std::string model, machine, tasks, objective = "fit", optimizer;
  std::string compare, output, journal, store;
  std::uint64_t evaluations = 0, seed = 0, seeds = 3;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t threads = 1;
  DimOptions dims;
  PlanOutputs outputs;
  bool json = false;

  void add_to(CLI::App& command);
  /// The same with what suits the objective where the user has said nothing, but for the optimiser.
  PlanRequest completed() const;
  /// The optimiser asked for, or what suits objective and machine.
  std::string optimizer_for(const Machine& planned) const;
};

}  // namespace hone
