#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/hlo/module.h"
#include "formats/source/input_sizes.h"
#include "plan/machine/machine.h"
#include "plan/problem/memory_problem.h"
#include "plan/problem/sharding_problem.h"
#include "plan/problem/workload.h"

namespace hone {

/// What there is to plan, and what else its source says: operations, or else a sharding problem or buffers.
struct PlanningSource {
  std::string name;  // as the user wrote it
  Workload workload;
  std::optional<Machine> machine;  // where the source states one
  double unit_seconds = 1;         // what the source calls one unit of time
  std::shared_ptr<const ShardingProblem> sharding;
  std::optional<MemoryProblem> memory;  // buffers with lifetimes, for one memory
  double reading_seconds = 0;

  // What the operations were made from, kept for what is written of a plan.
  std::shared_ptr<const Model> model;  // with its dims as they came
  InputSizes dims;                     // of the model
  std::shared_ptr<const hlo::Module> module;
};

/// What becomes of dims of a model that nothing fixes.
enum class OpenDims { stay, are_assumed };

/// Opens what the user names: a model (`zoo:NAME`, `.onnx`, `.onnxtxt`), an XLA HLO module, a cost graph, task set,
/// profile, sharding problem or list of buffers in one of the formats of formats/foreign, or the first graph of a
/// `synthetic:` recipe. Files other than ONNX are told apart by their contents.
PlanningSource open_planning_source(const std::string& spec, const InputSizes& dims,
                                    OpenDims open_dims = OpenDims::stay);

/// The same of what must be a graph of operations: throws InputError for sharding problems and buffers.
PlanningSource open_operations(const std::string& spec, const InputSizes& dims, OpenDims open_dims = OpenDims::stay);

/// The machine to plan for: the one that is named, else what the source states, else the one that the plan in a file
/// was made for, else two processors for what states its time on processors, else four P100. Throws InputError (usage)
/// for a plan whose machine cannot be loaded by its name.
Machine machine_for(const PlanningSource& source, const std::string& named, const std::string& plan_file);

}  // namespace hone
