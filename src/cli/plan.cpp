#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/interrupt.h"
#include "base/version.h"
#include "cli/plan_compare.h"
#include "cli/plan_memory.h"
#include "cli/plan_report.h"
#include "cli/plan_sharding.h"
#include "cli/verb.h"
#include "plan/problem/plan_file.h"
#include "report/json_line.h"
#include "store/records/plan_record.h"

namespace hone {
namespace {

/// What was asked for, as it is recorded.
nlohmann::ordered_json request_json(const PlanRequest& request, Optimizer& optimizer) {
  return {{"optimizer", request.optimizer}, {"parameters", optimizer.json()},
          {"tasks", request.tasks},         {"objective", request.objective},
          {"seed", request.seed},           {"evaluations", request.evaluations},
          {"seconds", request.seconds},     {"commit", commit()}};
}

ExitCode plan_work(const PlanRequest& given) {
  given.outputs.check(given.model);
  if (!given.optimizer.empty()) make_optimizer(given.optimizer);  // a mistake is told before anything is read
  std::optional<Store> store;  // opened first: that it cannot be used is told before the search, not after
  if (!given.store.empty()) store.emplace(given.store);
  const PlanCase planned(given);
  const PlanRequest& request = planned.request();
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(request.optimizer);
  const Problem& problem = planned.problem();
  std::optional<Journal> journal;
  if (!request.journal.empty())
    journal.emplace(request.journal, planned.fingerprint_of_run(request.optimizer, request.seed));
  PlanResult result{.solution = planned.solve(*optimizer, request.seed, journal ? &*journal : nullptr)};
  Solution& solution = result.solution;
  result.arenas = planned.lay_out(solution);
  if (!request.output.empty()) save_plan(request.output, problem.workload, problem.machine, solution.plan);
  result.outputs = request.outputs.write(request.model, request.dims, problem.workload, problem.machine, solution.plan);
  if (request.json) fmt::print("{}", json_line(result_json(planned, *optimizer, result)));
  else fmt::print("{}", result_text(planned, result));
  if (store) record_plan(*store, problem, solution, request_json(request, *optimizer));
  if (solution.end == SearchEnd::interrupted) return ExitCode::interrupted;
  return solution.score.excess > 0 ? ExitCode::no_valid_plan : ExitCode::done;
}

/// Writes a plan from a file in the forms asked for.
ExitCode write_saved_plan(const PlanRequest& request) {
  const nlohmann::ordered_json outputs = request.outputs.write_saved(request.model, request.dims, request.machine);
  if (request.json) fmt::print("{}", json_line(nlohmann::ordered_json{{"outputs", outputs}}));
  else fmt::print("{}", outputs_text(outputs));
  return ExitCode::done;
}

/// What is wanted of a file that turns out to hold buffers.
MemoryRequest as_memory_request(const PlanRequest& given, MemoryRequest request) {
  request.file = given.model;
  request.output = given.output;
  request.json = given.json;
  if (std::isfinite(given.seconds)) request.budget.seconds = given.seconds;
  return request;
}

ExitCode compare_work(const PlanRequest& request) {
  const PlanCase planned(request);
  const Objective& objective = planned.problem().objective;
  return compare_optimizers(
      request, {.description = problem_json(planned),
                .before = score(objective, planned.before()),
                .bound = planned.bound(),
                .solve = [&](Optimizer& optimizer, std::uint64_t seed) { return planned.solve(optimizer, seed); },
                .text = [&](double value) { return value_text(objective, value); }});
}

std::string optimizers_help() {
  std::string text = "Optimisers and their parameters:\n";
  for (const OptimizerKind* kind : OptimizerKind::all())
    text += fmt::format("{}: {}\n{}", kind->name(), kind->summary(), kind->help());
  return text;
}

/// What the user names decides what planning it means.
ExitCode plan(const PlanRequest& request, const MemoryRequest& memory) {
  if (request.model.empty()) fail_usage("hone plan needs a model");
  if (request.outputs.is_saved_plan()) return write_saved_plan(request);
  if (is_memory_problem(request.model)) return plan_memory_file(as_memory_request(request, memory));
  const InterruptGuard guard;
  if (const auto code = plan_sharding(request)) return *code;
  const PlanRequest completed = request.completed();
  return completed.compare.empty() ? plan_work(completed) : compare_work(completed);
}

std::function<ExitCode()> setup_plan(CLI::App& command) {
  auto request = std::make_shared<PlanRequest>();
  request->add_to(command);
  auto memory = std::make_shared<MemoryRequest>();
  memory->add_capacity_to(command);
  CLI::App* memory_command = command.add_subcommand("memory", "Lay out buffers with lifetimes in one memory");
  memory->add_to(*memory_command);
  command.footer(optimizers_help);
  return [request, memory, memory_command] {
    return memory_command->parsed() ? plan_memory_file(*memory) : plan(*request, *memory);
  };
}

const Verb plan_verb("plan", "Decide devices and order of all operations on a machine", setup_plan);

}  // namespace
}  // namespace hone
