#include "learn/train/go_loss.h"

#include <algorithm>
#include <cmath>

namespace hone::learn {
namespace {

constexpr double kDoesNotFit = 10;  // what a plan is punished by that does not fit

/// What has gone into a loss of some decisions.
struct Decided {
  torch::Tensor chance, entropy;  // by decision
};

Decided decided(const torch::Tensor& scores, const std::vector<std::uint8_t>& chosen) {
  const torch::Tensor shares = torch::log_softmax(scores, 1);
  std::vector<std::int64_t> wide(chosen.begin(), chosen.end());
  const torch::Tensor picked = torch::tensor(at::ArrayRef<std::int64_t>(wide)).unsqueeze(1);
  return {shares.gather(1, picked).squeeze(1), -(shares.exp() * shares).sum(1)};
}

torch::Tensor clipped(const torch::Tensor& chance, const torch::Tensor& before, double advantage, double clip) {
  const torch::Tensor ratio = torch::exp(chance - (before.defined() ? before : chance.detach()));
  return -torch::minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage);
}

/// The reward: -sqrt of the time, less where a plan does not fit.
double reward_of(const Score& score, double reference) {
  if (!std::isfinite(score.value)) return -kDoesNotFit;
  return -std::sqrt(score.value / reference) - (score.excess > 0 ? kDoesNotFit : 0);
}

/// Less their mean, by their deviation; differences that are nothing stay so.
std::vector<double> go_standardised(std::vector<double> gains) {
  constexpr double kLeastDeviation = 0.01;
  const auto count = static_cast<double>(gains.size());
  double mean = 0, squares = 0;
  for (const double gain : gains) mean += gain / count;
  for (const double gain : gains) squares += (gain - mean) * (gain - mean) / count;
  for (double& gain : gains) gain = (gain - mean) / std::max(kLeastDeviation, std::sqrt(squares));
  return gains;
}

}  // namespace

GoChances GoChances::detached() const {
  const auto plain = [](const torch::Tensor& tensor) { return tensor.defined() ? tensor.detach() : tensor; };
  return {plain(place), plain(schedule), plain(fuse), plain(pass), plain(pulls)};
}

GoLoss go_loss(const GoTorch::Scores& scores, const GoExperience& experience, const GoLossSettings& settings) {
  const GoChoice& choice = experience.step->choice;
  GoLoss loss;
  loss.total = torch::zeros({});
  std::size_t tasks = 0;
  const auto add_task = [&](const torch::Tensor& given, const std::vector<std::uint8_t>& chosen,
                            const torch::Tensor& before, torch::Tensor& chance) {
    if (chosen.empty()) return;
    const Decided made = decided(given, chosen);
    chance = made.chance;
    const double weight =
        std::sqrt(static_cast<double>(chosen.size()));  // between a mean and the sum that it should be
    loss.total = loss.total + weight * clipped(chance, before, experience.advantage, settings.clip).mean() -
                 settings.entropy * made.entropy.mean();
    loss.entropy += made.entropy.mean().item<double>();
    ++tasks;
  };
  add_task(scores.place, choice.place, experience.before.place, loss.chances.place);
  add_task(scores.schedule, choice.schedule, experience.before.schedule, loss.chances.schedule);
  add_task(scores.fuse, choice.fuse, experience.before.fuse, loss.chances.fuse);
  loss.entropy /= static_cast<double>(std::max<std::size_t>(1, tasks));

  const auto passes = static_cast<std::int64_t>(experience.step->first ? kGoFirstPasses : kGoPasses);
  const Decided pass = decided(scores.graph.slice(1, 0, passes), {choice.pass});
  loss.chances.pass = pass.chance;
  const auto first_pull = static_cast<std::int64_t>(kGoPasses), last = static_cast<std::int64_t>(kGoGraphOutputs);
  const torch::Tensor drawn = to_tensor({.shape = {1, kGoPulls}, .values = {choice.pulls.begin(), choice.pulls.end()}});
  const torch::Tensor off = (drawn - scores.graph.slice(1, first_pull, last)) / static_cast<double>(kGoPullDeviation);
  loss.chances.pulls = -0.5 * off * off;
  loss.total = loss.total - settings.entropy * pass.entropy.sum() +
               clipped(pass.chance, experience.before.pass, experience.advantage, settings.clip).sum();
  if (!experience.step->first)  // pulls are towards a plan
    loss.total =
        loss.total + clipped(loss.chances.pulls, experience.before.pulls, experience.advantage, settings.clip).sum();
  return loss;
}

std::vector<std::vector<double>> go_advantages(const std::vector<std::vector<GoStep>>& chains) {
  std::vector<std::vector<double>> worth(chains.size());
  if (chains.empty() || chains.front().empty()) return worth;
  const double reference = std::max(1e-300, chains.front().front().after.value);
  for (std::size_t pass = 0; pass < chains.front().size(); ++pass) {
    std::vector<double> gains;
    for (const std::vector<GoStep>& chain : chains) {
      // A chain goes on from the better plan: a bad one costs a pass and nothing else.
      const bool is_first = chain[pass].first;
      double best = is_first ? -INFINITY : reward_of(chain[pass].before, reference);
      const double before = is_first ? 0 : best;
      for (std::size_t later = pass; later < chain.size(); ++later)
        best = std::max(best, reward_of(chain[later].after, reference));
      gains.push_back(best - before);
    }
    const std::vector<double> standardised = go_standardised(gains);
    for (std::size_t i = 0; i < chains.size(); ++i) worth[i].push_back(standardised[i]);
  }
  return worth;
}

}  // namespace hone::learn
