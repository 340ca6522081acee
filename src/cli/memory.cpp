#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/output_file.h"
#include "cli/verb.h"
#include "foreign/minimalloc.h"
#include "memory/plan_memory.h"
#include "report/table.h"

namespace hone {
namespace {

struct Given {
  std::string file, output;
  std::int64_t capacity = MemoryProblem::kUnlimited;
  MemoryBudget budget;
  bool json = false;
};

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

void print(const Given& given, const MemoryProblem& problem, const MemoryOutcome& outcome, double seconds) {
  if (given.json) {
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

ExitCode plan(const Given& given) {
  MemoryProblem problem = read_minimalloc(given.file);
  problem.capacity = given.capacity;
  const auto start = std::chrono::steady_clock::now();
  const MemoryOutcome outcome = plan_memory(problem, given.budget);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!given.output.empty()) write_offsets(given.output, problem, outcome.plan);
  print(given, problem, outcome, seconds.count());
  return outcome.fits ? ExitCode::done : ExitCode::no_valid_plan;
}

std::function<ExitCode()> setup(CLI::App& command) {
  auto given = std::make_shared<Given>();
  command.add_option("file", given->file, "Buffers with lifetimes, as CSV with the columns id, lower, upper, size")
      ->required();
  command.add_option("--capacity", given->capacity, "Stop at a plan within so many bytes; without it, the lowest plan")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--time", given->budget.seconds, "Seconds to search")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--nodes", given->budget.nodes, "Nodes of exact search to visit at most, for repeatable runs");
  command.add_option("-o,--output", given->output, "Write the buffers with their offsets to this CSV file");
  command.add_flag("--json", given->json, "One JSON object instead of text");
  return [given] { return plan(*given); };
}

const Verb memory("memory", "Lay out buffers with lifetimes in one memory", setup);

}  // namespace
}  // namespace hone
