#pragma once

#include <vector>

namespace hone {

/// From which end a schedule is made.
enum class Direction { forward, backward };

/// What a list schedule goes by: plain numbers, so that whoever knows more about a graph (a search, a policy) can hand
/// them in.
struct ListGuidance {
  Direction direction = Direction::forward;
  std::vector<double> keys;   // by operation, in seconds; of what can be placed next the highest goes first
  double haste = 0;           // of its key an operation loses so much for every second after which it can be placed
  double transfer_price = 0;  // what a second of transfers counts besides the delay that it causes
  std::vector<float> bias;    // by operation * devices + device: seconds added to its finish there; none when empty
  double room = 1;            // share of the limits of memory that may be used
};

}  // namespace hone
