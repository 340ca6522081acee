#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hone::ort {

/// One run of one node, as ONNX Runtime recorded it.
struct KernelEvent {
  std::string node;
  std::string op;
  std::string provider;
  std::string input_types;  // as recorded: `[{"float":[1,3,224,224]}]`
  std::string output_types;
  double start_seconds = 0;  // since profiling began
  double seconds = 0;
  double output_bytes = 0;
  double parameter_bytes = 0;
};

/// A profile file of ONNX Runtime.
struct RunProfile {
  std::vector<KernelEvent> kernels;  // in order of their starts
  std::vector<double> run_starts;    // of whole runs, since profiling began
  std::vector<double> run_seconds;
};

/// Reads what `Session::end_profiling` names; throws InputError for what is no such file.
RunProfile read_profile(const std::filesystem::path& file);
RunProfile parse_profile(std::string_view text, const std::string& source);

/// The last `runs` runs of a profile, without those that warmed up.
RunProfile last_runs(RunProfile profile, std::size_t runs);

/// Time of all runs of one node or of one operator.
struct KernelTotal {
  std::string name;
  std::string op;
  std::size_t count = 0;  // runs of kernels
  double seconds = 0;
};
/// Totals by node or by operator, the longest first.
std::vector<KernelTotal> totals_by_node(const RunProfile& profile);
std::vector<KernelTotal> totals_by_operator(const RunProfile& profile);

}  // namespace hone::ort
