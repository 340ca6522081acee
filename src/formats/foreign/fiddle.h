#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// A placement problem of Tarnawski et al. (NeurIPS 2020): a graph with measured times on two kinds of device and the
/// devices there are.
struct FiddleProblem {
  static constexpr double kUnitSeconds = 1e-3;  // times in the file

  Workload workload;             // device kinds "cpu" and "accelerator"
  double accelerator_bytes = 0;  // memory of one accelerator
  std::int64_t accelerators = 0;
  std::int64_t cpus = 0;
  std::vector<std::int64_t> node_ids;  // by operation: what splits in files call it
};

/// The accelerators and processors of a problem as a machine. Processors are hosts: what is in their memory need not be
/// moved. Throws InputError for more devices than a machine has, or none.
Machine machine_of(const FiddleProblem& problem);

/// Latencies and transfer costs in the file are milliseconds. The memory a node takes on an accelerator is a weight it
/// reads; its result takes none of its own and states its transfer time. Colour classes become `Operation::colocate`.
FiddleProblem read_fiddle(const std::filesystem::path& path);
FiddleProblem parse_fiddle(std::string_view text, const std::string& file);

/// Reads who runs what from the form in which splits are published: nodes by accelerator and by processor, of which all
/// count as one. Nodes that are missing go where others of their colour are. Throws InputError for a node that is
/// nowhere, and for more accelerators than the problem has.
Plan parse_fiddle_split(std::string_view text, const std::string& file, const FiddleProblem& problem);

}  // namespace hone
