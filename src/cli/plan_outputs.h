#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/workload_source.h"
#include "plan/problem/plan.h"

namespace hone {

/// The `--emit KIND=PATH` of `hone plan`: forms of a plan that the user's runtime takes.
class PlanOutputs {
 public:
  /// Adds `--emit` and `--plan` to a command.
  void add_to(CLI::App& command);

  /// True when the plan to write comes from a file, so that nothing is searched.
  bool is_saved_plan() const { return !plan_.empty(); }
  bool asks_for_any() const { return !wanted_.empty(); }
  /// Throws InputError (usage) unless what the user names can be written in the forms asked for. Before the search, so
  /// that mistakes cost nothing.
  void check(const std::string& spec) const;
  /// Writes all outputs; one object about each.
  nlohmann::ordered_json write(const std::string& spec, const DimOptions& dims, const Workload& workload,
                               const Machine& machine, const Plan& plan) const;
  /// The whole of `hone plan MODEL --plan FILE --emit ...`: reads the plan and writes the outputs.
  nlohmann::ordered_json write_saved(const std::string& spec, const DimOptions& dims, const std::string& machine) const;

 private:
  std::vector<std::string> wanted_;
  std::string plan_;
};

/// What was written, a line each.
std::string outputs_text(const nlohmann::ordered_json& outputs);

}  // namespace hone
