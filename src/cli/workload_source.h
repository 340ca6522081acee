#pragma once

#include <optional>
#include <string>

#include "cli/model_source.h"
#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

/// Operation to plan, and what else its source says.
struct PlanningSource {
  Workload workload;
  std::optional<Machine> machine;  // where the source states one
  double unit_seconds = 1;         // what the source calls one unit of time
};

/// Turns what the user names into operations to plan: a model (`zoo:NAME`, `.onnx`, `.onnxtxt`), an XLA HLO module, a
/// cost graph, task set or profile in one of the formats of foreign/, or the first graph of a `synthetic:` recipe.
/// Files other than ONNX are told apart by their contents.
PlanningSource load_planning_source(const std::string& spec, const DimOptions& dims);
/// The operations alone.
Workload load_workload(const std::string& spec, const DimOptions& dims);

/// What a workload is made from.
enum class OperationOrigin { model, hlo_module, other };
OperationOrigin origin_of_operation(const std::string& spec);

/// The machine for when the user names none: two processors for what states its time on processors, else four P100.
std::string default_machine(const Workload& workload);

}  // namespace hone
