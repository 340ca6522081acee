#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hone {

/// One run of one node, as a runtime recorded it.
struct KernelEvent {
  std::string node;
  std::string op;
  std::string provider;
  std::string input_types;  // as recorded: `[{"float":[1,3,224,224]}]`
  std::string output_types;
  double start_seconds = 0;  // since recording began
  double seconds = 0;
  double output_bytes = 0;
  double parameter_bytes = 0;
};

/// What a runtime recorded while a model ran.
struct KernelProfile {
  std::vector<KernelEvent> kernels;  // in order of their starts
  std::vector<double> run_starts;    // of whole runs, since recording began
  std::vector<double> run_seconds;
};

/// The last `runs` runs of a profile, without those that warmed up.
KernelProfile last_runs(KernelProfile profile, std::size_t runs);

/// Time of all runs of one node or of one operator.
struct KernelTotal {
  std::string name;
  std::string op;
  std::size_t count = 0;  // runs of kernels
  double seconds = 0;
};
/// Totals by node or by operator, the longest first.
std::vector<KernelTotal> totals_by_node(const KernelProfile& profile);
std::vector<KernelTotal> totals_by_operator(const KernelProfile& profile);

}  // namespace hone
