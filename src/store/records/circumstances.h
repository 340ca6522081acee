#pragma once

#include "graph/ir/model.h"
#include "plan/problem/sharding_problem.h"
#include "plan/problem/workload.h"
#include "store/database/record.h"

namespace hone {

/// A description under its own fingerprint.
Described described(Json description);

/// The computer we run on.
HardwareRecord this_hardware();

/// A runtime by name and version with the threads it was given: figures of other numbers of
/// threads are figures of something else.
SoftwareRecord runtime_software(const std::string& runtime, std::size_t threads);

GraphRecord graph_record(const std::string& name, const Model& model);
GraphRecord graph_record(const Workload& workload);
GraphRecord graph_record(const ShardingProblem& problem);

}  // namespace hone
