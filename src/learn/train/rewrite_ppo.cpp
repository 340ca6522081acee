#include "learn/train/rewrite_ppo.h"

#include <algorithm>
#include <cmath>

#include "learn/policy/card.h"

namespace hone::learn {
namespace {

std::size_t drawn_action(std::span<const double> chances, Rng& rng) {
  double left = rng.uniform();
  for (std::size_t i = 0; i + 1 < chances.size(); ++i)
    if ((left -= chances[i]) < 0) return i;
  return chances.size() - 1;
}

/// Zero on the mean and one wide, so that batches weigh alike.
std::vector<double> normalized_advantages(std::span<const RewriteExperience* const> batch) {
  std::vector<double> values;
  double mean = 0, square = 0;
  for (const RewriteExperience* each : batch) mean += values.emplace_back(each->advantage);
  mean /= static_cast<double>(values.size());
  for (double& value : values) {
    value -= mean;
    square += value * value;
  }
  const double deviation = std::sqrt(square / static_cast<double>(values.size()));
  for (double& value : values) value /= deviation + 1e-8;
  return values;
}

}  // namespace

RewriteEpisode draw_episode(RewriteEnvironment& environment, const RewriteSpace& space, const Policy& policy,
                            std::size_t horizon, Rng& rng) {
  const RewritePolicyKind& kind = as_rewrite_policy(policy.kind());
  const auto left = [&] {
    return 1 - static_cast<double>(environment.actions().size()) / static_cast<double>(horizon);
  };
  RewriteEpisode episode;
  environment.reset();
  while (!environment.ended()) {
    RewriteExperience step;
    step.scene = kind.scene({space, *environment.state(), environment.options(), left()});
    const ActionScores scores = kind.scores(policy, step.scene);
    const std::vector<double> chances = chances_of(scores.logits);
    step.action = drawn_action(chances, rng);
    step.log_chance = std::log(std::max(chances[step.action], 1e-30));
    step.value = static_cast<double>(scores.value);
    step.reward = environment.step(step.action).reward;
    episode.saved_percent += step.reward;
    episode.steps.push_back(std::move(step));
  }
  const std::vector<RewriteOption> on_offer = space.options(*environment.state());
  const bool stopped = episode.steps.empty() || environment.actions().size() < horizon ||
                       episode.steps.back().action + 1 == episode.steps.back().scene.actions.size();
  if (!stopped && !on_offer.empty()) {
    episode.end = EpisodeEnd::cut_short;
    episode.value_left =
        static_cast<double>(kind.scores(policy, kind.scene({space, *environment.state(), on_offer, left()})).value);
  }
  return episode;
}

void judge_episode(RewriteEpisode& episode, const RewardHorizon& horizon) {
  double next_value = episode.end == EpisodeEnd::cut_short ? episode.value_left : 0, advantage = 0;
  for (auto step = episode.steps.rbegin(); step != episode.steps.rend(); ++step) {
    const double surprise = step->reward + horizon.discount * next_value - step->value;
    advantage = surprise + horizon.discount * horizon.trace * advantage;
    step->advantage = advantage;
    step->target = advantage + step->value;
    next_value = step->value;
  }
}

RewritePpo::RewritePpo(const Safetensors& first, const Settings& settings, const torch::Device& device)
    : first_(first), settings_(settings), device_(device), network_(first, "policy", device) {}

Safetensors RewritePpo::contents() const {
  Safetensors contents = network_.save();
  contents.metadata = first_.metadata;
  seal(contents);  // what it started from was another's
  return contents;
}

Safetensors RewritePpo::state() const {
  Safetensors state = adam_.save();
  for (auto& [name, array] : network_.save().arrays) state.arrays[name] = array;
  return state;
}

void RewritePpo::load(const Safetensors& state) {
  adam_.load(state);
  Safetensors contents = state;
  contents.metadata = first_.metadata;  // which says what kind of network it is
  network_ = RewriteTorch(contents, "checkpoint", device_);
}

RewritePpo::Report RewritePpo::learn(std::span<RewriteEpisode> episodes, Rng& rng) {
  std::vector<const RewriteExperience*> all;
  for (RewriteEpisode& episode : episodes) {
    judge_episode(episode, {});
    for (const RewriteExperience& step : episode.steps) all.push_back(&step);
  }
  Report sum;
  for (std::size_t epoch = 0; epoch < settings_.epochs; ++epoch) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[rng.below(i)]);
    for (std::size_t at = 0; at < all.size(); at += settings_.batch) {
      const auto batch = std::span(all).subspan(at, std::min(settings_.batch, all.size() - at));
      const Report report = learn_from(batch);
      sum.entropy += report.entropy;
      sum.value_error += report.value_error;
      sum.divergence += report.divergence;
      ++sum.batches;
      if (report.divergence > settings_.most_divergence) return sum;  // the policy has moved far enough
    }
  }
  return sum;
}

RewritePpo::Report RewritePpo::learn_from(std::span<const RewriteExperience* const> batch) {
  std::vector<const RewriteScene*> scenes;
  for (const RewriteExperience* each : batch) scenes.push_back(&each->scene);
  const std::vector<RewriteTorch::Scores> scores = network_.scores(scenes);
  const std::vector<double> advantages = normalized_advantages(batch);
  torch::Tensor clipped = torch::zeros({}), value_error = torch::zeros({}), entropy = torch::zeros({});
  double divergence = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const torch::Tensor chances = torch::log_softmax(scores[i].logits, 0);
    const torch::Tensor change = chances.select(0, static_cast<std::int64_t>(batch[i]->action)) - batch[i]->log_chance;
    const torch::Tensor ratio = change.exp();
    clipped = clipped +
              torch::min(ratio * advantages[i], ratio.clamp(1 - settings_.clip, 1 + settings_.clip) * advantages[i]);
    value_error = value_error + 0.5 * ((scores[i].value - batch[i]->target) / kValuePercent).pow(2);
    entropy = entropy - (chances.exp() * chances).sum();
    divergence += (ratio - 1 - change).item<double>();  // Schulman's estimate of the divergence: never below zero
  }
  const auto count = static_cast<double>(batch.size());
  ((-clipped + settings_.value_weight * value_error - settings_.entropy * entropy) / count).backward();
  adam_.step(network_.parameters(), settings_.rate);
  return {.entropy = entropy.item<double>() / count,
          .value_error = value_error.item<double>() / count,
          .divergence = divergence / count,
          .batches = 1};
}

}  // namespace hone::learn
