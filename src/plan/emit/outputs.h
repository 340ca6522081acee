#pragma once

#include <string>
#include <vector>

#include "base/output_target.h"
#include "formats/source/planning_source.h"
#include "plan/problem/problem.h"

namespace hone {

/// Forms of a plan to write, each `KIND=PATH`.
struct OutputRequest {
  std::vector<std::string> wanted;
  Overwrite overwrite = Overwrite::own;
};

/// A form of a plan that a runtime takes, as it was written.
struct WrittenOutput {
  std::string kind;
  SavedOutput saved;
  std::string contents;  // in words
};

/// Throws InputError unless plans for what a source holds can be written in all the forms asked for, where they are
/// asked for, without replacing the source or what hone did not write. Before a search, so that mistakes cost nothing.
void check_outputs(const OutputRequest& request, const PlanningSource& source);

/// Writes a plan in all the forms asked for, from the model or module that the source has kept.
std::vector<WrittenOutput> write_outputs(const OutputRequest& request, const PlanningSource& source,
                                         const Problem& problem, const Plan& plan);

/// Writes a plan from a file in all the forms asked for. `machine` may be empty, see `machine_for`.
std::vector<WrittenOutput> write_saved_plan(const OutputRequest& request, PlanningSource source,
                                            const std::string& machine, const std::string& plan_file);

}  // namespace hone
