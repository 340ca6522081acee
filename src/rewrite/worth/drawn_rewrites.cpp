#include "rewrite/worth/drawn_rewrites.h"

#include <algorithm>
#include <set>

#include "base/random.h"

namespace hone {
namespace {

constexpr std::size_t kTriesPerGraph = 6, kMostRules = 3, kMostSites = 100;
constexpr double kShares[] = {0.1, 0.4, 1, 1};  // of the sites of a rule
constexpr double kMostGrowth = 2;               // of the number of nodes

enum class DrawnFrom : std::uint8_t { all, savings };

/// Rewrites of a state by one rule, or by any.
std::vector<RewriteOption> options_of(const RewriteSpace& space, const RewriteState& state, const Rule* rule,
                                      DrawnFrom from) {
  std::vector<RewriteOption> options = space.options(state);
  std::erase_if(options, [&](const RewriteOption& option) {
    return (rule != nullptr && option.match->rule != rule) || option.hash == state.hash ||
           (from == DrawnFrom::savings && option.seconds >= state.seconds);
  });
  return options;
}

/// Every rule is as likely as any other, however many sites it has.
const Rule* drawn_rule(const std::vector<RewriteOption>& options, Rng& rng) {
  std::vector<const Rule*> rules;  // in the order of sites, which is fixed
  for (const RewriteOption& option : options)
    if (std::ranges::find(rules, option.match->rule) == rules.end()) rules.push_back(option.match->rule);
  return rules[rng.below(rules.size())];
}

StatePointer draw_one(const RewriteSpace& space, DrawnFrom from, Rng& rng, const Deadline& deadline) {
  StatePointer state = space.start();
  const auto most_nodes = kMostGrowth * static_cast<double>(state->graph.node_count());
  const std::size_t rules = 1 + rng.below(kMostRules);
  for (std::size_t i = 0; i < rules; ++i) {
    std::vector<RewriteOption> options = options_of(space, *state, nullptr, from);
    if (options.empty()) break;
    const Rule* rule = drawn_rule(options, rng);
    std::erase_if(options, [&](const RewriteOption& option) { return option.match->rule != rule; });
    const double share = kShares[rng.below(std::size(kShares))];
    const auto sites =
        std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(options.size())), 1, kMostSites);
    for (std::size_t site = 0; site < sites && !options.empty() && !deadline.is_over(); ++site) {
      state = space.take(state, options[rng.below(options.size())]);
      if (static_cast<double>(state->graph.node_count()) > most_nodes) return state;
      options = options_of(space, *state, rule, from);
    }
  }
  return state;
}

}  // namespace

std::vector<StatePointer> drawn_rewrites(const RewriteSpace& space, std::size_t count, std::uint64_t seed,
                                         const Deadline& deadline) {
  std::vector<StatePointer> drawn;
  std::set<std::uint64_t> seen = {space.start()->hash};
  for (std::size_t i = 0; i < kTriesPerGraph * count && drawn.size() < count && !deadline.is_over(); ++i) {
    Rng rng = Rng(seed).split(i);
    StatePointer state = draw_one(space, i % 2 == 0 ? DrawnFrom::all : DrawnFrom::savings, rng, deadline);
    if (seen.insert(state->hash).second) drawn.push_back(std::move(state));
  }
  return drawn;
}

}  // namespace hone
