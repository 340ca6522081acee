#include "report/memory_report.h"

#include <fmt/format.h>

#include "report/table.h"

namespace hone {

nlohmann::ordered_json memory_json(const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds) {
  return {{"buffers", problem.buffers.size()},
          {"cost", outcome.plan.height},
          {"height", outcome.plan.height},
          {"bound", outcome.bound},
          {"seconds", seconds},
          {"feasible", outcome.fits},
          {"optimal", outcome.optimal()},
          {"nodes", outcome.nodes},
          {"ended_by", name_of(outcome.end)}};
}

std::string memory_text(const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds) {
  std::string text =
      fmt::format("{} buffers in {} bytes ({}), no plan in less than {}{}, {:.2f} s\n", problem.buffers.size(),
                  outcome.plan.height, with_prefix(static_cast<double>(outcome.plan.height), "B"), outcome.bound,
                  outcome.optimal() ? ": optimal" : "", seconds);
  if (!outcome.fits) text += fmt::format("not within the capacity of {} bytes\n", problem.capacity);
  return text + ending_text(outcome.end, seconds);
}

nlohmann::ordered_json arenas_json(const Machine& machine, const std::vector<DeviceArena>& arenas) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const DeviceArena& arena : arenas)
    rows.push_back({{"device", machine.device(arena.device).name},
                    {"arena_bytes", arena.arena_bytes},
                    {"bound_bytes", arena.bound_bytes}});
  return rows;
}

std::string arenas_text(const Machine& machine, const std::vector<DeviceArena>& arenas) {
  std::string text;
  for (const DeviceArena& arena : arenas)
    if (arena.arena_bytes > 0)
      text += fmt::format("{}: all buffers in {} bytes, at most {} alive at a time\n",
                          machine.device(arena.device).name, arena.arena_bytes, arena.bound_bytes);
  return text.empty() ? text : "\n" + text;
}

}  // namespace hone
