#include "cli/plan_compare.h"

#include <algorithm>

#include "base/interrupt.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

/// What one optimiser comes to over several seeds.
struct Trial {
  std::string spec;
  std::vector<Score> scores;  // ascending
  double seconds = 0;         // all together
  double bound = 0;           // the best it has proved
};

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

std::string score_text(const ComparedProblem& problem, const Score& score) {
  return score.excess > 0 ? problem.text(score.value) + " (does not fit)" : problem.text(score.value);
}

std::vector<Trial> run_trials(const PlanRequest& request, const ComparedProblem& problem) {
  std::vector<Trial> trials;
  for (std::string& spec : split_specs(request.compare)) trials.push_back({.spec = std::move(spec)});
  for (const Trial& trial : trials) make_optimizer(trial.spec);  // mistakes are told before anything runs
  for (Trial& trial : trials) {
    for (std::uint64_t i = 0; i < request.seeds && !interrupted(); ++i) {
      const Solution solution = problem.solve(*make_optimizer(trial.spec), request.seed + i);
      trial.scores.push_back(solution.score);
      trial.seconds += solution.seconds;
      trial.bound = std::max(trial.bound, solution.bound);
    }
    std::ranges::sort(trial.scores, [](const Score& a, const Score& b) { return a < b; });
  }
  std::erase_if(trials, [](const Trial& trial) { return trial.scores.empty(); });
  return trials;
}

void print_trials_json(const PlanRequest& request, const ComparedProblem& problem, const std::vector<Trial>& trials) {
  nlohmann::ordered_json object = problem.description;
  object["evaluations"] = request.evaluations;
  object["seed"] = request.seed;
  for (const Trial& trial : trials) {
    nlohmann::ordered_json entry{{"optimizer", trial.spec}, {"search_seconds", trial.seconds}, {"bound", trial.bound}};
    for (const Score& score : trial.scores)
      entry["scores"].push_back({{"value", score.value}, {"excess_bytes", score.excess}});
    object["compare"].push_back(std::move(entry));
  }
  fmt::print("{}", json_line(object));
}

void print_trials(const ComparedProblem& problem, const std::vector<Trial>& trials) {
  double bound = problem.bound;
  for (const Trial& trial : trials) bound = std::max(bound, trial.bound);
  Table table({"optimiser", "best", "median", "worst", "above bound", "search"});
  table.add({"nothing decided", score_text(problem, problem.before), "", "", "", ""});
  for (const Trial& trial : trials) {
    const Score& median = trial.scores[trial.scores.size() / 2];
    table.add({trial.spec, score_text(problem, trial.scores.front()), score_text(problem, median),
               score_text(problem, trial.scores.back()),
               bound > 0 ? fmt::format("{:.1f} %", 100 * (median.value / bound - 1)) : "",
               fmt::format("{:.2f} s", trial.seconds)});
  }
  fmt::print("{}", table.text());
}

}  // namespace

ExitCode compare_optimizers(const PlanRequest& request, const ComparedProblem& problem) {
  const std::vector<Trial> trials = run_trials(request, problem);
  if (request.json) print_trials_json(request, problem, trials);
  else print_trials(problem, trials);
  return interrupted() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace hone
