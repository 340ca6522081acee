#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/hash.h"
#include "base/interrupt.h"
#include "cli/plan_sharding.h"
#include "cli/verb.h"
#include "cli/workload_source.h"
#include "core/optimizer.h"
#include "core/plan_file.h"
#include "evaluate/bounds.h"
#include "evaluate/simulated_cost.h"
#include "machine/machine_file.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

struct Given {
  std::string model, machine = "p100-4", tasks = "place+schedule+transfers", objective = "fit",
                     optimizer = "critical-path+brkga";
  std::string compare, output, journal;
  std::uint64_t evaluations = 5000, seed = 0, seeds = 3;
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  DimOptions dims;
  bool json = false;
};

/// A problem with everything that judging plans for it takes.
class Case {
 public:
  explicit Case(const Given& given)
      : given_(given),
        problem_{.workload = load_workload(given.model, given.dims),
                 .machine = load_machine(given.machine),
                 .objective = parse_objective(given.objective)},
        task_(make_task(problem_, given.tasks)),
        evaluator_(problem_),
        bounds_(lower_bounds(problem_.workload, problem_.machine, Fusion::none)),
        start_(undecided_plan(problem_)),
        before_(evaluator_.evaluate(start_)) {}

  const Problem& problem() const { return problem_; }
  const Bounds& bounds() const { return bounds_; }
  const Cost& before() const { return before_; }
  double bound() const {
    return problem_.objective == Objective::peak_bytes ? bounds_.peak_bytes() : bounds_.seconds();
  }

  Solution solve(Optimizer& optimizer, std::uint64_t seed, Journal* journal = nullptr) const {
    Search search(problem_, *task_, evaluator_, start_,
                  {.budget = {.evaluations = given_.evaluations, .seconds = given_.seconds},
                   .seed = seed,
                   .threads = given_.threads,
                   .bound = bound(),
                   .journal = journal});
    optimizer.run(search);
    return search.finish();
  }

  /// Names one run of one optimiser. The cost before stands for the machine.
  std::uint64_t fingerprint_of_run(std::string_view optimizer, std::uint64_t seed) const {
    const std::string text =
        fmt::format("{} {} {} {} {} {} {} {}", fingerprint(problem_.workload), problem_.machine.name, before_.seconds,
                    before_.peak_bytes, given_.objective, given_.tasks, optimizer, seed);
    return hash_text(text);
  }

 private:
  const Given& given_;
  Problem problem_;
  std::unique_ptr<Task> task_;
  SimulatedCost evaluator_;
  Bounds bounds_;
  Plan start_;
  Cost before_;
};

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

std::string value_text(Objective objective, const Score& score) {
  const std::string text =
      objective == Objective::peak_bytes ? with_prefix(score.value, "B") : milliseconds(score.value);
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
  table.add({"no plan below", milliseconds(the_case.bounds().seconds()),
             with_prefix(the_case.bounds().peak_bytes(), "B"), ""});
  fmt::print("{}", table.text());
}

ExitCode plan(const Given& given) {
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(given.optimizer);
  const Case the_case(given);
  std::optional<Journal> journal;
  if (!given.journal.empty()) journal.emplace(given.journal, the_case.fingerprint_of_run(given.optimizer, given.seed));
  const Solution solution = the_case.solve(*optimizer, given.seed, journal ? &*journal : nullptr);
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
  const Objective objective = the_case.problem().objective;
  Table table({"optimiser", "best", "median", "worst", "above bound", "search"});
  table.add({"nothing decided", value_text(objective, score(objective, the_case.before())), "", "", "", ""});
  for (const Trial& trial : trials) {
    const Score& median = trial.scores[trial.scores.size() / 2];
    table.add({trial.spec, value_text(objective, trial.scores.front()), value_text(objective, median),
               value_text(objective, trial.scores.back()),
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

/// What a sharding problem is solved with: what the user says and, for what he does not, what suits it.
ShardingRequest sharding_request(const Given& given) {
  constexpr double kUsualSeconds = 60;
  const Given usual;
  ShardingRequest request{.budget = {.seconds = given.seconds},
                          .seed = given.seed,
                          .threads = given.threads,
                          .output = given.output,
                          .journal = given.journal,
                          .json = given.json};
  if (given.optimizer != usual.optimizer) request.optimizer = given.optimizer;
  if (given.evaluations != usual.evaluations) request.budget.evaluations = given.evaluations;
  else if (!std::isfinite(given.seconds)) request.budget.seconds = kUsualSeconds;
  return request;
}

std::string optimizers_help() {
  std::string text = "Optimisers and their parameters:\n";
  for (const OptimizerKind* kind : OptimizerKind::all())
    text += fmt::format("{}: {}\n{}", kind->name(), kind->summary(), kind->help());
  return text;
}

std::function<ExitCode()> setup(CLI::App& command) {
  auto given = std::make_shared<Given>();
  command
      .add_option("model", given->model,
                  "Model, zoo:NAME, HLO module, cost graph, task set, sharding problem or "
                  "synthetic:RECIPE")
      ->required();
  given->dims.add_to(command);
  command.add_option("--machine", given->machine, "A built-in machine (hone hw list) or a TOML file")
      ->capture_default_str();
  command
      .add_option("--optimize", given->optimizer, "Optimiser, NAME[:key=value,...]; NAME+NAME runs one after another")
      ->capture_default_str();
  command.add_option("--compare", given->compare, "Several optimisers at equal budget instead, as one table");
  command.add_option("--seeds", given->seeds, "How often each of them runs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--tasks", given->tasks, "What is decided")->capture_default_str();
  command
      .add_option("--objective", given->objective,
                  "fit (time, of plans that fit into memory), seconds (memory has no end) or memory")
      ->capture_default_str();
  command.add_option("--evals", given->evaluations, "Plans to try at most")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--time", given->seconds, "Seconds to search at most")->check(CLI::PositiveNumber);
  command.add_option("--seed", given->seed, "Seed of all randomness")->capture_default_str();
  command.add_option("--threads", given->threads, "Threads; the result is the same on any number")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("-o,--output", given->output, "Write the plan to this file");
  command.add_option("--resume", given->journal,
                     "Journal of the run: written as it goes; a run that was killed goes on from it");
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  command.footer(optimizers_help);
  return [given] {
    const InterruptGuard guard;
    if (const std::optional<ExitCode> code = plan_sharding(given->model, sharding_request(*given))) return *code;
    return given->compare.empty() ? plan(*given) : compare(*given);
  };
}

const Verb plan_verb("plan", "Decide devices and order of all work on a machine", setup);

}  // namespace
}  // namespace hone
