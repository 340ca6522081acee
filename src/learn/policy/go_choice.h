#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "learn/policy/go_network.h"
#include "plan/methods/list_moves.h"

namespace hone {

/// One way to make a list schedule: from which end, at what price of transfers, in what haste, and by which order; or
/// one of the moves of `list-search`, which leave most of a plan as it is.
struct GoPass {
  enum class Keys : std::uint8_t { longest_paths, order_of_plan };

  Direction direction = Direction::forward;
  double transfer_price = 0, haste = 0;
  Keys keys = Keys::longest_paths;
  std::optional<ListMoves::Kept> kept;  // of moves; what is above but the direction is then drawn

  static GoPass numbered(std::size_t number);
};
/// Passes before the first number go by longest paths and so need no plan to start from; those from the second on are
/// moves.
inline constexpr std::size_t kGoFirstPasses = 12, kGoFreePasses = 24;

/// Everything that is decided in one pass.
struct GoChoice {
  std::uint8_t pass = 0;
  std::array<float, kGoPulls> pulls{};  // logarithms
  std::uint64_t shuffle = 0;            // seed of how an order is shuffled
  std::vector<std::uint8_t> place;      // by operation: 0 left alone, else a device and one
  std::vector<std::uint8_t> schedule;   // by operation: level
  std::vector<std::uint8_t> fuse;       // by operation: level
};

/// Deviation of the normal distribution that pulls are drawn from, around what the network says.
inline constexpr float kGoPullDeviation = 0.7F;

/// Draws all decisions, each by itself. A temperature of 0 takes the likeliest, 1 draws as a policy learns; `first`
/// says that there is no plan before, so that nothing can go by its order.
GoChoice draw_go_choice(const GoScores& scores, std::size_t devices, double temperature, bool first, Rng& rng);

/// Scores of ways to make a schedule, those that cannot be taken left out.
std::span<const float> go_pass_scores(const GoScores& scores, bool first);

}  // namespace hone
