#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rewrite/search/graph_pricing.h"

namespace hone {

/// Where an episode of rewriting ends, and which rewrites it offers.
struct EpisodeSettings {
  std::size_t horizon = 100;  // rewrites at most
  double growth = 2;          // graphs with so many times the nodes of the start, or more, are not offered
};

/// What one action came to.
struct RewardedStep {
  double reward = 0;  // percent of the time at the start that it took away
  bool ends = false;  // whether the episode is over
};

/// Rewriting as a sequence of decisions (X-RLflow: He, Parker, Yoneki, MLSys 2023). The state is a graph with the
/// rewrites it offers; actions are these, in their fixed order, and a last one that stops. An action is paid
/// (RT before - RT after) / RT at the start * 100 by a pricing of whole graphs, so that the rewards of an episode add
/// up to what its graphs differ by, whatever lies between. The list of actions says all about an episode: the same from
/// the same start leads to the same graph again.
///
/// Several environments may work side by side on one space, each in a thread of its own.
class RewriteEnvironment {
 public:
  /// Both must outlive the environment. It stands at the start.
  RewriteEnvironment(const RewriteSpace& space, const GraphPricing& pricing, EpisodeSettings settings = {});

  /// Begins anew.
  void reset();

  const StatePointer& state() const { return state_; }
  /// What the graph at hand takes.
  double seconds() const { return seconds_; }
  double start_seconds() const { return start_seconds_; }
  /// Rewrites on offer; none once the episode is over.
  const std::vector<RewriteOption>& options() const { return options_; }
  /// The action that ends an episode: the one behind all rewrites.
  std::size_t stop() const { return options_.size(); }
  bool ended() const { return ended_; }
  /// What was done since the start.
  const std::vector<std::size_t>& actions() const { return actions_; }

  /// Takes a rewrite or stops; the episode must not be over.
  RewardedStep step(std::size_t action);
  /// Begins anew and takes these actions; rewards one by one. Throws InputError for an action that is not on offer.
  std::vector<double> replay(std::span<const std::size_t> actions);

 private:
  void stand_at(StatePointer state, double seconds);

  const RewriteSpace& space_;
  const GraphPricing& pricing_;
  EpisodeSettings settings_;
  double start_seconds_;
  StatePointer state_;
  double seconds_ = 0;
  bool ended_ = false;
  std::vector<RewriteOption> options_;
  std::vector<std::size_t> actions_;
};

}  // namespace hone
