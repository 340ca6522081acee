#include "rewrite/search/environment.h"

#include "base/error.h"

namespace hone {

RewriteEnvironment::RewriteEnvironment(const RewriteSpace& space, const GraphPricing& pricing, EpisodeSettings settings)
    : space_(space), pricing_(pricing), settings_(settings), start_seconds_(pricing.seconds(*space.start())) {
  reset();
}

void RewriteEnvironment::reset() {
  actions_.clear();
  stand_at(space_.start(), start_seconds_);
}

void RewriteEnvironment::stand_at(StatePointer state, double seconds) {
  state_ = std::move(state);
  seconds_ = seconds;
  options_.clear();
  const auto most_nodes = settings_.growth * static_cast<double>(space_.start()->graph.node_count());
  const auto nodes = static_cast<double>(state_->graph.node_count());
  if (actions_.size() < settings_.horizon)
    for (RewriteOption& option : space_.options(*state_))
      if (option.hash != state_->hash && nodes + static_cast<double>(option.nodes) < most_nodes)
        options_.push_back(std::move(option));
  ended_ = options_.empty();  // only stopping is left, which changes nothing
}

RewardedStep RewriteEnvironment::step(std::size_t action) {
  HONE_CHECK(!ended_ && action <= stop(), "action {} of {} rewrites", action, options_.size());
  if (action == stop()) {
    actions_.push_back(action);
    options_.clear();
    ended_ = true;
    return {.reward = 0, .ends = true};
  }
  const double before = seconds_;
  StatePointer next = space_.take(state_, options_[action]);
  actions_.push_back(action);
  const double after = pricing_.seconds(*next);
  stand_at(std::move(next), after);
  return {.reward = 100 * (before - after) / start_seconds_, .ends = ended_};
}

std::vector<double> RewriteEnvironment::replay(std::span<const std::size_t> actions) {
  reset();
  std::vector<double> rewards;
  for (const std::size_t action : actions) {
    if (ended_) fail("action {} of a replay comes after its episode has ended", rewards.size() + 1);
    if (action > stop())
      fail("action {} of a replay is rewrite {}, but the graph offers {}", rewards.size() + 1, action, options_.size());
    rewards.push_back(step(action).reward);
  }
  return rewards;
}

}  // namespace hone
