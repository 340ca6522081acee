#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/source/planning_source.h"
#include "plan/problem/problem.h"

namespace hone {

/// A form of a plan that a runtime takes, as it was written.
struct WrittenOutput {
  std::string kind, path;
  std::string contents;  // in words
};

/// Throws InputError (usage) unless plans for what a source holds can be written in all the forms asked for, each
/// `KIND=PATH`. Before a search, so that mistakes cost nothing.
void check_outputs(std::span<const std::string> wanted, const PlanningSource& source);

/// Writes a plan in all the forms asked for, from the model or module that the source has kept.
std::vector<WrittenOutput> write_outputs(std::span<const std::string> wanted, const PlanningSource& source,
                                         const Problem& problem, const Plan& plan);

/// Writes a plan from a file in all the forms asked for. `machine` may be empty, see `machine_for`.
std::vector<WrittenOutput> write_saved_plan(std::span<const std::string> wanted, PlanningSource source,
                                            const std::string& machine, const std::string& plan_file);

}  // namespace hone
