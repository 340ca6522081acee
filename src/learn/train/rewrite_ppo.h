#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "learn/train/adam.h"
#include "learn/train/rewrite_torch.h"
#include "rewrite/search/environment.h"

namespace hone::learn {

/// One decision of an episode, and what came of it.
struct RewriteExperience {
  RewriteScene scene;
  std::size_t action = 0;
  double log_chance = 0;  // of the action when it was drawn
  double value = 0;       // that was expected then
  double reward = 0;
  double advantage = 0, target = 0;  // see `judge_episode`
};

/// How an episode ended, which decides what is expected behind its last decision.
enum class EpisodeEnd : std::uint8_t {
  done,       // by stopping, or because nothing was on offer: nothing comes any more
  cut_short,  // by the horizon: what the graph it was left with promised counts
};

/// An episode of one environment.
struct RewriteEpisode {
  std::vector<RewriteExperience> steps;
  EpisodeEnd end = EpisodeEnd::done;
  double value_left = 0;     // of the graph at the end, where it was cut short
  double saved_percent = 0;  // the sum of its rewards
};

/// Draws an episode by what the policy says.
RewriteEpisode draw_episode(RewriteEnvironment& environment, const RewriteSpace& space, const Policy& policy,
                            std::size_t horizon, Rng& rng);

/// How far ahead rewards count.
struct RewardHorizon {
  double discount = 0.99, trace = 0.95;
};

/// Generalised advantages (Schulman et al., 2016) and targets for values. What one episode has no part of is nothing to
/// another: each is judged by itself, and its last step too is held against the value that was expected.
void judge_episode(RewriteEpisode& episode, const RewardHorizon& horizon);

/// Proximal policy optimisation (Schulman et al., 2017) with the settings of X-RLflow.
class RewritePpo {
 public:
  struct Settings {
    double rate = 5e-4, clip = 0.2, value_weight = 0.5, entropy = 0.01, most_divergence = 0.05;
    std::size_t batch = 16, epochs = 4;
  };
  struct Report {
    double entropy = 0, value_error = 0, divergence = 0;  // means over the last batches
    std::size_t batches = 0;
  };

  RewritePpo(const Safetensors& first, const Settings& settings, const torch::Device& device = torch::kCPU);

  Report learn(std::span<RewriteEpisode> episodes, Rng& rng);

  /// What was learned so far, with the card of what it started from.
  Safetensors contents() const;
  Safetensors state() const;
  void load(const Safetensors& state);

 private:
  Report learn_from(std::span<const RewriteExperience* const> batch);

  Safetensors first_;
  Settings settings_;
  torch::Device device_;
  RewriteTorch network_;
  Adam adam_;
};

}  // namespace hone::learn
