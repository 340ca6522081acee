#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plan/problem/sharding_problem.h"

namespace hone {

/// Reads the contest's JSON, plain or packed with gzip.
ShardingProblem read_iopddl(const std::filesystem::path& path);
ShardingProblem parse_iopddl(std::string_view text, const std::string& file);

}  // namespace hone
