#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/interrupt.h"
#include "cli/verb.h"
#include "cli/workload_source.h"
#include "core/optimizer.h"
#include "core/plan_file.h"
#include "evaluate/objective_cost.h"
#include "machine/machine_file.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

struct Given {
  std::string model, machine, tasks, objective = "fit", optimizer;
  std::string compare, output;
  std::uint64_t evaluations = 0, seed = 0, seeds = 3;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  DimOptions dims;
  bool json = false;
};

constexpr std::string_view kUsualMachine = "p100-4";

/// Fills in what the user has not said with what suits the objective: where only places count there is no order to
/// decide, and evaluating a plan takes so little that many can be tried.
Given completed(Given given) {
  const Measure lead = parse_objective(given.objective).lead();
  const bool places = lead == Measure::throughput || lead == Measure::latency;
  if (given.optimizer.empty()) given.optimizer = places ? "partition" : "critical-path+brkga";
  if (given.tasks.empty()) given.tasks = places ? "place" : "place+schedule+transfers";
  if (given.evaluations == 0) given.evaluations = places ? 300'000 : 5000;
  return given;
}

Problem load_problem(const Given& given, PlanningSource source) {
  const bool stated = given.machine.empty() && source.machine;
  return {.workload = std::move(source.workload),
          .machine = stated ? *std::move(source.machine)
                            : load_machine(given.machine.empty() ? std::string(kUsualMachine) : given.machine),
          .objective = parse_objective(given.objective)};
}

/// A problem with everything that judging plans for it takes.
class Case {
 public:
  explicit Case(const Given& given) : Case(given, load_planning_source(given.model, given.dims)) {}

  const Problem& problem() const { return problem_; }
  const Bounds& bounds() const { return bounds_; }
  const Cost& before() const { return before_; }
  double bound() const { return bound_; }
  /// Of what is shown as the time of a plan.
  double seconds_bound(const Solution& solution) const {
    return judges_placement() ? solution.bound : bounds_.seconds();
  }
  /// A value of the objective as its source would put it.
  double in_units_of_source(double value) const {
    const auto parts = problem_.objective.parts();
    return parts.front().relative || parts.front().measure == Measure::memory ? value : value / unit_seconds_;
  }

  Solution solve(Optimizer& optimizer, std::uint64_t seed) const {
    Search search(problem_, *task_, evaluator_, start_,
                  {.budget = {.evaluations = given_.evaluations, .seconds = given_.seconds},
                   .seed = seed,
                   .threads = given_.threads,
                   .bound = bound()});
    optimizer.run(search);
    return search.finish();
  }

 private:
  Case(const Given& given, PlanningSource source)
      : given_(given),
        unit_seconds_(source.unit_seconds),
        problem_(load_problem(given, std::move(source))),
        task_(make_task(problem_, given.tasks)),
        evaluator_(problem_),
        bounds_(lower_bounds(problem_.workload, problem_.machine, Fusion::none)),
        start_(undecided_plan(problem_)),
        before_(evaluator_.evaluate(start_)) {
    problem_.objective = problem_.objective.relative_to(before_);
    bound_ = objective_bound(problem_, bounds_);
  }

  /// Whether the one thing that counts follows from where works run.
  bool judges_placement() const {
    return problem_.objective == Objective::throughput || problem_.objective == Objective::latency;
  }

  const Given& given_;
  double unit_seconds_;
  Problem problem_;
  std::unique_ptr<Task> task_;
  ObjectiveCost evaluator_;
  Bounds bounds_;
  Plan start_;
  Cost before_;
  double bound_ = 0;
};

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

std::string score_text(const Objective& objective, const Score& score) {
  const std::string text = value_text(objective, score.value);
  return score.excess > 0 ? text + " (does not fit)" : text;
}

/// `a:x=1,y=2,b` is `a:x=1,y=2` and `b`: what has an equals sign but no colon before it belongs to the one before.
std::vector<std::string> split_specs(std::string_view text) {
  std::vector<std::string> specs;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
    const bool goes_on = piece.find('=') < piece.find(':');
    if (goes_on && !specs.empty()) specs.back().append(",").append(piece);
    else specs.emplace_back(piece);
  }
  return specs;
}

nlohmann::ordered_json cost_json(const Cost& cost) {
  return {{"seconds", cost.seconds}, {"peak_bytes", cost.peak_bytes}, {"feasible", cost.feasible()}};
}

nlohmann::ordered_json problem_json(const Case& the_case, const Given& given) {
  return {{"graph", the_case.problem().workload.name},
          {"works", the_case.problem().workload.work_count()},
          {"machine", the_case.problem().machine.name},
          {"objective", name_of(the_case.problem().objective)},
          {"tasks", given.tasks},
          {"bound_seconds", the_case.bounds().seconds()},
          {"bound_peak_bytes", the_case.bounds().peak_bytes()},
          {"before", cost_json(the_case.before())}};
}

void print_plan_json(const Case& the_case, const Given& given, Optimizer& optimizer, const Solution& solution) {
  nlohmann::ordered_json object = problem_json(the_case, given);
  object["after"] = cost_json(solution.cost);
  object["cost"] = the_case.in_units_of_source(solution.score.value);
  object["bound"] = the_case.in_units_of_source(solution.bound);
  object["seconds"] = solution.seconds;
  object["feasible"] = solution.score.excess == 0;
  object["optimizer"] = given.optimizer;
  object["parameters"] = optimizer.parameters();
  object["seed"] = given.seed;
  object["evaluations"] = solution.evaluations;
  object["search_seconds"] = solution.seconds;
  for (const Solution::Point& point : solution.curve)
    object["curve"].push_back(
        {{"evaluations", point.evaluations}, {"value", point.score.value}, {"excess_bytes", point.score.excess}});
  fmt::print("{}", json_line(object));
}

void print_plan(const Case& the_case, const Solution& solution) {
  const Problem& problem = the_case.problem();
  fmt::print("{}: {} works on {}, {} evaluations in {:.2f} s\n\n", problem.workload.name, problem.workload.work_count(),
             problem.machine.name, solution.evaluations, solution.seconds);
  const auto row = [](std::string name, const Cost& cost) -> std::vector<std::string> {
    return {std::move(name), milliseconds(cost.seconds), with_prefix(cost.peak_bytes, "B"),
            cost.feasible() ? "yes" : fmt::format("{} too much", with_prefix(cost.overflow_bytes, "B"))};
  };
  Table table({"", "time", "peak memory", "fits"});
  table.add(row("before", the_case.before()));
  table.add(row("after", solution.cost));
  table.add({"no plan below", milliseconds(the_case.seconds_bound(solution)),
             with_prefix(the_case.bounds().peak_bytes(), "B"), ""});
  fmt::print("{}", table.text());
}

ExitCode plan(const Given& given) {
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(given.optimizer);
  const Case the_case(given);
  const Solution solution = the_case.solve(*optimizer, given.seed);
  if (!given.output.empty())
    save_plan(given.output, the_case.problem().workload, the_case.problem().machine, solution.plan);
  if (given.json) print_plan_json(the_case, given, *optimizer, solution);
  else print_plan(the_case, solution);
  if (solution.interrupted) return ExitCode::interrupted;
  return solution.score.excess > 0 ? ExitCode::no_valid_plan : ExitCode::done;
}

/// What one optimiser comes to over several seeds.
struct Trial {
  std::string spec;
  std::vector<Score> scores;  // ascending
  double seconds = 0;         // all together
};

std::vector<Trial> run_trials(const Case& the_case, const Given& given) {
  std::vector<Trial> trials;
  for (std::string& spec : split_specs(given.compare)) trials.push_back({.spec = std::move(spec)});
  for (const Trial& trial : trials) make_optimizer(trial.spec);  // mistakes are told before anything runs
  for (Trial& trial : trials) {
    for (std::uint64_t i = 0; i < given.seeds && !interrupted(); ++i) {
      const Solution solution = the_case.solve(*make_optimizer(trial.spec), given.seed + i);
      trial.scores.push_back(solution.score);
      trial.seconds += solution.seconds;
    }
    std::ranges::sort(trial.scores, [](const Score& a, const Score& b) { return a < b; });
  }
  std::erase_if(trials, [](const Trial& trial) { return trial.scores.empty(); });
  return trials;
}

void print_trials_json(const Case& the_case, const Given& given, const std::vector<Trial>& trials) {
  nlohmann::ordered_json object = problem_json(the_case, given);
  object["evaluations"] = given.evaluations;
  object["seed"] = given.seed;
  for (const Trial& trial : trials) {
    nlohmann::ordered_json entry{{"optimizer", trial.spec}, {"search_seconds", trial.seconds}};
    for (const Score& score : trial.scores)
      entry["scores"].push_back({{"value", score.value}, {"excess_bytes", score.excess}});
    object["compare"].push_back(std::move(entry));
  }
  fmt::print("{}", json_line(object));
}

void print_trials(const Case& the_case, const std::vector<Trial>& trials) {
  const Objective& objective = the_case.problem().objective;
  Table table({"optimiser", "best", "median", "worst", "above bound", "search"});
  table.add({"nothing decided", score_text(objective, score(objective, the_case.before())), "", "", "", ""});
  for (const Trial& trial : trials) {
    const Score& median = trial.scores[trial.scores.size() / 2];
    table.add({trial.spec, score_text(objective, trial.scores.front()), score_text(objective, median),
               score_text(objective, trial.scores.back()),
               fmt::format("{:.1f} %", 100 * (median.value / the_case.bound() - 1)),
               fmt::format("{:.2f} s", trial.seconds)});
  }
  fmt::print("{}", table.text());
}

ExitCode compare(const Given& given) {
  const Case the_case(given);
  const std::vector<Trial> trials = run_trials(the_case, given);
  if (given.json) print_trials_json(the_case, given, trials);
  else print_trials(the_case, trials);
  return interrupted() ? ExitCode::interrupted : ExitCode::done;
}

std::string optimizers_help() {
  std::string text = "Optimisers and their parameters:\n";
  for (const OptimizerKind* kind : OptimizerKind::all())
    text += fmt::format("{}: {}\n{}", kind->name(), kind->summary(), kind->help());
  return text;
}

std::function<ExitCode()> setup(CLI::App& command) {
  auto given = std::make_shared<Given>();
  command.add_option("model", given->model, "Model, zoo:NAME, HLO module, cost graph, task set or synthetic:RECIPE")
      ->required();
  given->dims.add_to(command);
  command.add_option("--machine", given->machine,
                     fmt::format("A built-in machine (hone hw list) or a TOML file; unless given, what the source "
                                 "states or {}",
                                 kUsualMachine));
  command.add_option("--optimize", given->optimizer,
                     "Optimiser, NAME[:key=value,...]; NAME+NAME runs one after another; unless given, one that suits "
                     "the objective");
  command.add_option("--compare", given->compare, "Several optimisers at equal budget instead, as one table");
  command.add_option("--seeds", given->seeds, "How often each of them runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--tasks", given->tasks, "What is decided; unless given, what matters to the objective");
  command
      .add_option("--objective", given->objective,
                  "fit (time, of plans that fit into memory), seconds (memory has no end), memory, throughput (largest "
                  "load of a device), latency (one sample through calls of devices); A,B compares B where A is equal, "
                  "A*0.7+B*0.3 weighs both relative to nothing decided")
      ->capture_default_str();
  command.add_option("--evals", given->evaluations, "Plans to try at most; unless given, what suits the objective")
      ->check(CLI::PositiveNumber);
  command.add_option("--time", given->seconds, "Seconds to search at most")->check(CLI::PositiveNumber);
  command.add_option("--seed", given->seed, "Seed of all randomness")->capture_default_str();
  command.add_option("--threads", given->threads, "Threads; the result is the same on any number")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("-o,--output", given->output, "Write the plan to this file");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  command.footer(optimizers_help);
  return [given] {
    const InterruptGuard guard;
    const Given chosen = completed(*given);
    return chosen.compare.empty() ? plan(chosen) : compare(chosen);
  };
}

const Verb plan_verb("plan", "Decide devices and order of all work on a machine", setup);

}  // namespace
}  // namespace hone
