#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "plan/problem/plan.h"
#include "plan/problem/sharding_problem.h"

namespace hone {

/// A number that two workloads share only if they are the same problem: names, costs and connections all count.
std::uint64_t fingerprint(const Workload& workload);
/// The same of sharding problems: name, nodes, strategies, edges and limit all count.
std::uint64_t fingerprint(const ShardingProblem& problem);

/// A plan as JSON; devices by name, so that the file says where things run without the machine at hand.
std::string plan_json(const Workload& workload, const Machine& machine, const Plan& plan);

/// Reads a plan back; `source` names it in messages. Throws InputError for text that is no plan, a plan for another
/// graph (exit code 3), a device the machine does not have or a plan that `check` finds fault with (exit code 2).
Plan parse_plan(std::string_view text, std::string_view source, const Workload& workload, const Machine& machine);

void save_plan(const std::filesystem::path& path, const Workload& workload, const Machine& machine, const Plan& plan);
/// The name of the machine that a plan was made for. Throws InputError for a file that is no plan or names none.
std::string machine_name_in_plan(const std::filesystem::path& path);
/// Whether a file holds a plan, for whatever graph.
bool is_plan_file(const std::filesystem::path& path);
/// Whether a plan was made for this graph. Throws InputError for a file that is no plan.
bool is_plan_for(const std::filesystem::path& path, const Workload& workload);
Plan load_plan(const std::filesystem::path& path, const Workload& workload, const Machine& machine);

}  // namespace hone
