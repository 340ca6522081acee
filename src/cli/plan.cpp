#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "base/interrupt.h"
#include "base/timer.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/plan_lists.h"
#include "cli/verb.h"
#include "formats/foreign/minimalloc.h"
#include "learn/policy/learn_library.h"
#include "plan/session/compare.h"
#include "report/json_line.h"
#include "report/memory_report.h"
#include "report/plan_report.h"
#include "store/records/plan_record.h"

namespace hone {
namespace {

/// What the user wants of the planner of one memory.
struct MemoryArguments {
  std::string file;
  OutputArguments output;
  std::int64_t capacity = MemoryProblem::kUnlimited;
  std::optional<double> seconds;  // a limit that is given is the only one
  std::optional<std::uint64_t> nodes;
  bool json = false;
};

/// What the user wants of `hone plan`.
struct PlanArguments {
  PlanRequest request;
  std::string model, compare, store, plan;
  std::uint64_t seeds = 3;
  DimOptions dims;
  OutputArguments output;
  MemoryArguments memory;  // for a file that holds buffers
  bool json = false;
};

const FileForm kPlanForm{.what = "a plan", .extensions = {".json"}};
const FileForm kOffsetsForm{.what = "a list of buffers", .extensions = {".csv"}};
/// What a source holds shows when it is opened.
const FileForm kEitherForm{.what = "a plan", .extensions = {".json", ".csv"}};

MemoryBudget budget_of(const MemoryArguments& given) {
  MemoryBudget budget;
  if (given.nodes) budget = {.seconds = std::numeric_limits<double>::infinity(), .nodes = *given.nodes};
  if (given.seconds) budget.seconds = *given.seconds;
  return budget;
}

ExitCode plan_buffers(MemoryProblem problem, const MemoryArguments& given, const OutputTarget& target) {
  target.require(kOffsetsForm);
  problem.capacity = given.capacity;
  const InterruptGuard guard;
  const Timer timer;
  const MemoryOutcome outcome = plan_memory(problem, budget_of(given));
  const double seconds = timer.seconds();
  const SavedOutput saved =
      target.save([&](const std::filesystem::path& path) { write_minimalloc(path, problem, outcome.plan); });
  nlohmann::ordered_json object = memory_json(problem, outcome, seconds);
  enter(saved, object);
  fmt::print("{}", given.json ? json_line(object) : memory_text(problem, outcome, seconds));
  if (outcome.end == SearchEnd::interrupted) return told(saved, ExitCode::interrupted);
  return told(saved, outcome.fits ? ExitCode::done : ExitCode::no_valid_plan);
}

/// The same for a file that turned out to hold buffers, by the options that mean something there.
ExitCode plan_buffers_of(PlanningSource source, const PlanArguments& given, const OutputTarget& target) {
  MemoryArguments memory = given.memory;
  memory.json = given.json;
  if (std::isfinite(given.request.seconds)) memory.seconds = given.request.seconds;
  if (given.request.evaluations > 0) memory.nodes = given.request.evaluations;
  return plan_buffers(*std::move(source.memory), memory, target);
}

/// Tells of outputs that are not where they should be, and what the command returns to the shell then.
ExitCode told_all(const std::vector<WrittenOutput>& outputs, ExitCode code) {
  for (const WrittenOutput& output : outputs) code = told(output.saved, code);
  return code;
}

/// Writes a plan from a file in the forms asked for.
ExitCode write_plan_of_file(const PlanArguments& given) {
  const PlanRequest& request = given.request;
  const std::vector<WrittenOutput> outputs =
      write_saved_plan(request.emit, open_operations(given.model, given.dims), request.machine, given.plan);
  if (given.json) fmt::print("{}", json_line(nlohmann::ordered_json{{"outputs", outputs_json(outputs)}}));
  else fmt::print("{}", outputs_text(outputs));
  return told_all(outputs, ExitCode::done);
}

ExitCode compare_all(const PlanSession& session, const PlanArguments& given) {
  const std::vector<Trial> trials = compare_optimizers(session, given.compare, given.seeds);
  if (given.json) fmt::print("{}", json_line(trials_json(session, trials)));
  else fmt::print("{}", trials_text(session, trials));
  return interrupted() ? ExitCode::interrupted : ExitCode::done;
}

ExitCode plan(PlanArguments& given) {
  if (given.model.empty()) fail_usage("hone plan needs a model");
  given.request.emit.overwrite = given.output.overwrite();
  if (!given.plan.empty()) return write_plan_of_file(given);
  // Mistakes are told before anything is read or searched.
  if (!given.request.optimizer.empty()) {
    open_for_optimizer(given.request.optimizer);
    make_optimizer(given.request.optimizer);
  }
  const OutputTarget target = given.output.target({&given.model, 1});
  std::optional<Store> store;
  if (!given.store.empty()) store.emplace(given.store);
  PlanningSource source = open_planning_source(given.model, given.dims);
  if (source.memory) return plan_buffers_of(std::move(source), given, target);
  target.require(kPlanForm);
  const InterruptGuard guard;  // from here on Ctrl-C ends the search with the best so far
  if (!source.sharding) check_outputs(given.request.emit, source);
  const PlanSession session(given.request, std::move(source));
  if (!given.compare.empty()) return compare_all(session, given);
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(session.request().optimizer);
  PlanResult result = session.run(*optimizer);
  const SavedOutput saved =
      target.save([&](const std::filesystem::path& path) { session.save(result.solution, path); });
  result.outputs = session.write(result.solution);
  if (given.json) {
    nlohmann::ordered_json object = result_json(session, *optimizer, result);
    enter(saved, object);
    fmt::print("{}", json_line(object));
  } else {
    fmt::print("{}", result_text(session, result));
  }
  if (store) record_plan(*store, session.problem(), result.solution, session.request_json(*optimizer));
  const ExitCode code = told_all(result.outputs, told(saved, ExitCode::done));
  if (code != ExitCode::done) return code;
  if (result.solution.end == SearchEnd::interrupted) return ExitCode::interrupted;
  return result.solution.score.excess > 0 ? ExitCode::no_valid_plan : ExitCode::done;
}

void add_what(CLI::App& command, PlanArguments& given) {
  PlanRequest& request = given.request;
  command.add_option(
      "model", given.model,
      "Model, zoo:NAME, HLO module, cost graph, task set, sharding problem, buffers or synthetic:RECIPE");
  given.dims.add_to(command);
  command.add_option("--machine", request.machine,
                     "From hone hw list, processors:N or a TOML file (default: that of the source, else p100-4)");
  command.add_option("--optimize", request.optimizer, "How to search; see hone plan optimizers");
  command.add_option("--tasks", request.tasks, "What to decide; see hone plan tasks");
  command.add_option("--objective", request.objective, "See hone plan objectives")->capture_default_str();
  command.add_flag("--no-more-memory", request.no_more_memory, "No higher peak than where nothing is decided");
}

void add_budget(CLI::App& command, PlanRequest& request) {
  request.threads = std::max(1U, std::thread::hardware_concurrency());
  command.add_option("--evals", request.evaluations, "Plans to try at most (without it and --time: as suits)")
      ->check(CLI::PositiveNumber);
  command.add_option("--time", request.seconds, "Seconds to search at most")->check(CLI::PositiveNumber);
  command.add_option("--seed", request.seed, "Seed of all randomness")->capture_default_str();
  command.add_option("--threads", request.threads, "The result is the same on any number")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
}

void add_results(CLI::App& command, PlanArguments& given) {
  PlanRequest& request = given.request;
  CLI::Option* compared =
      command.add_option("--compare", given.compare, "Optimisers at equal budget instead, as one table");
  command.add_option("--seeds", given.seeds, "How often each of them runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  given.output.add_to(command, kEitherForm, "Write the plan here: .json, .csv of buffers, or -");
  CLI::Option* output = command.get_option("--output");
  CLI::Option* resume =
      command.add_option("--resume", request.journal, "Journal, from which a run that was killed goes on");
  CLI::Option* store = command.add_option("--db", given.store, "Record the run in this store (see hone db)");
  CLI::Option* emit =
      command.add_option("--emit", request.emit.wanted, "For a runtime: ort, annotated, split, hlo (repeatable)");
  store->excludes(compared);
  emit->type_name("KIND=PATH")->allow_extra_args(false)->excludes(compared);
  command.add_option("--plan", given.plan, "A saved plan to --emit instead of searching")
      ->needs(emit)
      ->excludes(output)
      ->excludes(resume)
      ->excludes(store);
  command.add_flag("--json", given.json, "One JSON object instead of tables");
}

void add_capacity(CLI::App& command, MemoryArguments& given) {
  command.add_option("--capacity", given.capacity, "Memory for buffers (default: as little as possible)")
      ->check(CLI::NonNegativeNumber);
}

void add_memory(CLI::App& command, MemoryArguments& given) {
  command.add_option("file", given.file, "Buffers with lifetimes, as CSV with the columns id, lower, upper, size")
      ->required();
  add_capacity(command, given);
  command.add_option("--time", given.seconds, "Seconds to search; without it and --evals, 30")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--evals", given.nodes, "Nodes of exact search to visit at most, for repeatable runs");
  given.output.add_to(command, kOffsetsForm,
                      "Write the buffers with their offsets to this CSV file; - is standard output");
  command.add_flag("--json", given.json, "One JSON object instead of text");
}

std::function<ExitCode()> setup_plan(CLI::App& command) {
  auto given = std::make_shared<PlanArguments>();
  add_what(command, *given);
  add_budget(command, given->request);
  add_results(command, *given);
  add_capacity(command, given->memory);
  CLI::App* memory_command = command.add_subcommand("memory", "Lay out buffers with lifetimes in one memory");
  add_memory(*memory_command, given->memory);
  const auto parsed_list = add_plan_lists(command);
  add_examples(command, {{"hone plan model.onnx --machine p100-4", "the usual search"},
                         {"hone plan m.onnx --objective memory --time 30", "half a minute for memory"},
                         {"hone plan m.hlo --optimize guided -o plan.json", "guided by a trained policy"}});
  add_examples(*memory_command, {{"hone plan memory buffers.csv --capacity 1048576", "within a megabyte"}});
  return [given, memory_command, parsed_list] {
    if (const std::function<ExitCode()> list = parsed_list()) return list();
    if (!memory_command->parsed()) return plan(*given);
    const OutputTarget target = given->memory.output.target({&given->memory.file, 1});
    return plan_buffers(read_minimalloc(given->memory.file), given->memory, target);
  };
}

const Verb plan_verb("plan", Topic::plans, "Decide kernels, devices and order of all operations on a machine",
                     setup_plan);

}  // namespace
}  // namespace hone
