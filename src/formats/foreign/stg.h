#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plan/problem/workload.h"

namespace hone {

/// Reads a task graph of the Standard Task Graph set: tasks with times on identical processors, order without data.
/// Times count as seconds. The two dummy tasks at the ends are kept as operations that take no time.
Workload read_stg(const std::filesystem::path& path);
Workload parse_stg(std::string_view text, const std::string& file);

}  // namespace hone
