#include "cli/plan_compare.h"

#include <algorithm>

#include "base/interrupt.h"
#include "cli/plan_case.h"
#include "cli/plan_report.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

/// What one optimiser comes to over several seeds.
struct Trial {
  std::string spec;
  std::vector<Score> scores;  // ascending
  double seconds = 0;         // all together
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

std::string score_text(const Objective& objective, const Score& score) {
  const std::string text = value_text(objective, score.value);
  return score.excess > 0 ? text + " (does not fit)" : text;
}

std::vector<Trial> run_trials(const PlanCase& planned) {
  const PlanRequest& request = planned.request();
  std::vector<Trial> trials;
  for (std::string& spec : split_specs(request.compare)) trials.push_back({.spec = std::move(spec)});
  for (const Trial& trial : trials) make_optimizer(trial.spec);  // mistakes are told before anything runs
  for (Trial& trial : trials) {
    for (std::uint64_t i = 0; i < request.seeds && !interrupted(); ++i) {
      const Solution solution = planned.solve(*make_optimizer(trial.spec), request.seed + i);
      trial.scores.push_back(solution.score);
      trial.seconds += solution.seconds;
    }
    std::ranges::sort(trial.scores, [](const Score& a, const Score& b) { return a < b; });
  }
  std::erase_if(trials, [](const Trial& trial) { return trial.scores.empty(); });
  return trials;
}

void print_json(const PlanCase& planned, const std::vector<Trial>& trials) {
  nlohmann::ordered_json object = problem_json(planned);
  object["evaluations"] = planned.request().evaluations;
  object["seed"] = planned.request().seed;
  for (const Trial& trial : trials) {
    nlohmann::ordered_json entry{{"optimizer", trial.spec}, {"search_seconds", trial.seconds}};
    for (const Score& score : trial.scores)
      entry["scores"].push_back({{"value", score.value}, {"excess_bytes", score.excess}});
    object["compare"].push_back(std::move(entry));
  }
  fmt::print("{}", json_line(object));
}

void print_table(const PlanCase& planned, const std::vector<Trial>& trials) {
  const Objective& objective = planned.problem().objective;
  Table table({"optimiser", "best", "median", "worst", "above bound", "search"});
  table.add({"nothing decided", score_text(objective, score(objective, planned.before())), "", "", "", ""});
  for (const Trial& trial : trials) {
    const Score& median = trial.scores[trial.scores.size() / 2];
    table.add({trial.spec, score_text(objective, trial.scores.front()), score_text(objective, median),
               score_text(objective, trial.scores.back()),
               fmt::format("{:.1f} %", 100 * (median.value / planned.bound() - 1)),
               fmt::format("{:.2f} s", trial.seconds)});
  }
  fmt::print("{}", table.text());
}

}  // namespace

ExitCode compare_optimizers(const PlanRequest& request) {
  const PlanCase planned(request);
  const std::vector<Trial> trials = run_trials(planned);
  if (request.json) print_json(planned, trials);
  else print_table(planned, trials);
  return interrupted() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace hone
