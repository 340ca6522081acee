#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plan/problem/memory_problem.h"

namespace hone {

/// Reads MiniMalloc's CSV: a heading that names the columns id, lower, upper and size in any order, a buffer a line;
/// other columns are passed over. The form knows no capacity.
MemoryProblem read_minimalloc(const std::filesystem::path& path);
MemoryProblem parse_minimalloc(std::string_view text, const std::string& file);

/// The buffers as they came, each with its offset.
void write_minimalloc(const std::filesystem::path& path, const MemoryProblem& problem, const MemoryPlan& plan);

}  // namespace hone
