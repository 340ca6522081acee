#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan/memory/plan_memory.h"
#include "plan/memory/plan_offsets.h"

namespace hone {

/// What laying out the buffers of one memory has come to.
nlohmann::ordered_json memory_json(const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds);
std::string memory_text(const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds);

/// What the memory of every device comes to, as a JSON array and as a line for each that holds anything.
nlohmann::ordered_json arenas_json(const Machine& machine, const std::vector<DeviceArena>& arenas);
std::string arenas_text(const Machine& machine, const std::vector<DeviceArena>& arenas);

}  // namespace hone
