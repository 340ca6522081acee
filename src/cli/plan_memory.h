#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/memory/plan_memory.h"
#include "plan/memory/plan_offsets.h"

namespace hone {

/// What the user wants of the planner of one memory.
struct MemoryRequest {
  std::string file, output;
  std::int64_t capacity = MemoryProblem::kUnlimited;
  MemoryBudget budget;
  bool json = false;

  void add_capacity_to(CLI::App& command);
  /// All of `hone plan memory`.
  void add_to(CLI::App& command);
};

/// Whether a file holds buffers with lifetimes instead of operations; false for what cannot be read.
bool is_memory_problem(const std::string& path);

/// What the memory of every device comes to, as a JSON array and as a line for each that holds anything.
nlohmann::ordered_json arenas_json(const Machine& machine, const std::vector<DeviceArena>& arenas);
std::string arenas_text(const Machine& machine, const std::vector<DeviceArena>& arenas);

/// Lays out the buffers of a file and prints what came of it.
ExitCode plan_memory_file(const MemoryRequest& request);

}  // namespace hone
