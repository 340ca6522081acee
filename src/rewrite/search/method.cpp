#include "rewrite/search/method.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

std::vector<RewriteOption> RewriteSearch::expand(const RewriteState& state) {
  std::vector<RewriteOption> options = space_.options(state, deadline());
  count_expansion(options.size());
  return options;
}

StatePointer RewriteSearch::take(const StatePointer& state, const RewriteOption& option) {
  StatePointer next = space_.take(state, option, deadline());
  offer(next);
  return next;
}

void RewriteSearch::offer(const StatePointer& state) {
  least_sum_ = std::min(least_sum_, state->seconds);
  if (improves(pricing_.seconds(*state))) best_ = state;
}

void RewriteSearch::count_expansion(std::size_t rewrites) {
  spend(1);
  reckon_time_at(seconds());
  judged_ += rewrites;
  if (is_line_due())
    announce_best(fmt::format("{:.1f} % less than at the start", 100 * (1 - best() / curve().front().score)));
}

StatePointer RewriteSearch::descend(StatePointer state, std::int64_t steps) {
  for (std::int64_t step = 0; step < steps && !spent(); ++step) {
    const std::vector<RewriteOption> options = expand(*state);
    const auto best = std::ranges::min_element(options, {}, &RewriteOption::seconds);
    if (best == options.end() || best->seconds >= state->seconds * (1 - 1e-12)) break;
    state = take(state, *best);
  }
  return state;
}

}  // namespace hone
