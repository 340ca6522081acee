#include "cli/plan_memory.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/output_file.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "formats/foreign/format.h"
#include "formats/foreign/minimalloc.h"
#include "report/table.h"

namespace hone {
namespace {

/// The buffers as they came, each with its offset.
void write_offsets(const std::string& path, const MemoryProblem& problem, const MemoryPlan& plan) {
  OutputFile file(path);
  file.write("id,lower,upper,size,offset\n");
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const MemoryBuffer& buffer = problem.buffers[i];
    file.write(
        fmt::format("{},{},{},{},{}\n", buffer.name, buffer.lower, buffer.upper, buffer.size, plan.offset_of[i]));
  }
  file.commit();
}

void print(const MemoryRequest& request, const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds) {
  if (request.json) {
    const nlohmann::ordered_json object{{"buffers", problem.buffers.size()},
                                        {"cost", outcome.plan.height},
                                        {"height", outcome.plan.height},
                                        {"bound", outcome.bound},
                                        {"seconds", seconds},
                                        {"feasible", outcome.fits},
                                        {"optimal", outcome.optimal()},
                                        {"nodes", outcome.nodes}};
    fmt::print("{}\n", object.dump());
    return;
  }
  fmt::print("{} buffers in {} bytes ({}), no plan in less than {}{}, {:.2f} s\n", problem.buffers.size(),
             outcome.plan.height, with_prefix(static_cast<double>(outcome.plan.height), "B"), outcome.bound,
             outcome.optimal() ? ": optimal" : "", seconds);
  if (!outcome.fits) fmt::print("not within the capacity of {} bytes\n", problem.capacity);
}

}  // namespace

void MemoryRequest::add_capacity_to(CLI::App& command) {
  command.add_option("--capacity", capacity, "Lay out buffers within so many bytes; without it, as low as possible")
      ->check(CLI::NonNegativeNumber);
}

void MemoryRequest::add_to(CLI::App& command) {
  command.add_option("file", file, "Buffers with lifetimes, as CSV with the columns id, lower, upper, size")
      ->required();
  add_capacity_to(command);
  command.add_option("--time", budget.seconds, "Seconds to search")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--nodes", budget.nodes, "Nodes of exact search to visit at most, for repeatable runs");
  command.add_option("-o,--output", output, "Write the buffers with their offsets to this CSV file");
  command.add_flag("--json", json, "One JSON object instead of text");
}

bool is_memory_problem(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  return detect_format(read_text_file(path).text) == ForeignFormat::minimalloc;
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

ExitCode plan_memory_file(const MemoryRequest& request) {
  MemoryProblem problem = read_minimalloc(request.file);
  problem.capacity = request.capacity;
  const Timer timer;
  const MemoryOutcome outcome = plan_memory(problem, request.budget);
  const double seconds = timer.seconds();
  if (!request.output.empty()) write_offsets(request.output, problem, outcome.plan);
  print(request, problem, outcome, seconds);
  return outcome.fits ? ExitCode::done : ExitCode::no_valid_plan;
}

}  // namespace hone
