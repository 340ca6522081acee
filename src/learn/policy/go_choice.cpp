#include "learn/policy/go_choice.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

/// By Gumbel's noise, so that the maximum is a draw from the softmax.
std::uint8_t drawn_go_option(std::span<const float> scores, double temperature, Rng& rng) {
  std::size_t best = 0;
  double most = -INFINITY;
  for (std::size_t option = 0; option < scores.size(); ++option) {
    double score = static_cast<double>(scores[option]);
    if (temperature > 0) score -= temperature * std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    if (score > most) {
      most = score;
      best = option;
    }
  }
  return static_cast<std::uint8_t>(best);
}

std::vector<std::uint8_t> drawn_go_options(std::span<const float> scores, std::size_t options, double temperature,
                                           Rng& rng) {
  std::vector<std::uint8_t> drawn;
  drawn.reserve(scores.size() / options);
  for (std::size_t at = 0; at < scores.size(); at += options)
    drawn.push_back(drawn_go_option(scores.subspan(at, options), temperature, rng));
  return drawn;
}

}  // namespace

GoPass GoPass::numbered(std::size_t number) {
  constexpr double kPrices[] = {0, 1, 3};
  GoPass pass;
  pass.direction = number % 2 == 0 ? Direction::forward : Direction::backward;
  if (number >= kGoFreePasses) {
    constexpr ListMoves::Kept kMoves[] = {ListMoves::Kept::order, ListMoves::Kept::outside_window,
                                          ListMoves::Kept::outside_clusters, ListMoves::Kept::outside_waits};
    pass.kept = kMoves[(number - kGoFreePasses) / 2];
    return pass;
  }
  pass.transfer_price = kPrices[number / 2 % 3];
  pass.haste = number / 6 % 2 == 0 ? 0 : 1;
  pass.keys = number < kGoFirstPasses ? Keys::longest_paths : Keys::order_of_plan;
  return pass;
}

std::span<const float> go_pass_scores(const GoScores& scores, bool first) {
  return std::span(scores.graph).first(first ? kGoFirstPasses : kGoPasses);
}

GoChoice draw_go_choice(const GoScores& scores, std::size_t devices, double temperature, bool first, Rng& rng) {
  GoChoice choice;
  choice.pass = drawn_go_option(go_pass_scores(scores, first), temperature, rng);
  for (std::size_t i = 0; i < kGoPulls; ++i)
    choice.pulls[i] =
        scores.graph[kGoPasses + i] + static_cast<float>(std::min(1.0, temperature) * rng.normal()) * kGoPullDeviation;
  choice.shuffle = rng.next();
  choice.place = drawn_go_options(scores.place, devices + 1, temperature, rng);
  choice.schedule = drawn_go_options(scores.schedule, kGoLevels, temperature, rng);
  choice.fuse = drawn_go_options(scores.fuse, kGoFusions, temperature, rng);
  return choice;
}

}  // namespace hone
