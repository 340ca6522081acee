#include "plan/session/compare.h"

#include <algorithm>

#include "base/interrupt.h"

namespace hone {
namespace {

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

}  // namespace

std::vector<Trial> compare_optimizers(const PlanSession& session, std::string_view optimizers, std::uint64_t seeds) {
  std::vector<Trial> trials;
  for (std::string& spec : split_specs(optimizers)) trials.push_back({.optimizer = std::move(spec)});
  for (const Trial& trial : trials) make_optimizer(trial.optimizer);  // mistakes are told before anything runs
  for (Trial& trial : trials) {
    for (std::uint64_t i = 0; i < seeds && !interrupted(); ++i) {
      const Solution solution = session.solve(*make_optimizer(trial.optimizer), session.request().seed + i);
      trial.scores.push_back(solution.score);
      trial.ends.push_back(solution.end);
      trial.seconds += solution.seconds;
      trial.bound = std::max(trial.bound, solution.bound);
    }
    std::ranges::sort(trial.scores, [](const Score& a, const Score& b) { return a < b; });
  }
  std::erase_if(trials, [](const Trial& trial) { return trial.scores.empty(); });
  return trials;
}

}  // namespace hone
