#pragma once

#include <cstdint>
#include <string>

namespace hone {

/// How much to try.
struct FuzzOptions {
  std::size_t graphs = 500;
  std::size_t most_rewrites = 20;  // of one graph
  std::uint64_t seed = 1;
};

/// What came of it.
struct FuzzReport {
  std::size_t graphs = 0;
  std::size_t rewrites = 0;
  std::size_t rules = 0;        // different ones that were applied
  std::size_t differences = 0;  // graphs whose results changed
  std::string first;            // what was rewritten into what
};

/// Differential fuzzing: random graphs made of left sides of rules that hang together, rewritten at random places by
/// all rules, and run before and after by the reference interpreter. Every graph must stay valid and compute the same.
FuzzReport fuzz_rewrites(const FuzzOptions& options);

}  // namespace hone
