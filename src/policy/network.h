#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/construction.h"
#include "policy/features.h"
#include "policy/moves.h"
#include "policy/safetensors.h"

namespace hone {

/// A network of a policy, evaluated without any library: features of works are embedded, some rounds of messages go
/// along the graph in both directions, and every work gets its weights for what can be seen when it is decided about.
///
///   h = relu(E x + e)
///   h = h + relu(S h + P mean(h of works before) + N mean(h of works after) + b)    in every round
///   weights = H h + k
class Network {
 public:
  /// Its arrays are those whose names begin with `prefix`. Throws InputError when some are missing or do not fit
  /// together.
  Network(const Safetensors& contents, const std::string& prefix, std::size_t outputs, std::string_view source);

  std::size_t width() const { return width_; }
  std::size_t rounds() const { return rounds_.size(); }
  /// A row of weights for every work.
  std::vector<float> weights(const GraphView& graph, const Features& features) const;

 private:
  struct Round {
    NamedArray self, before, after, bias;
  };

  std::size_t width_ = 0;
  NamedArray embed_, embed_bias_, head_, head_bias_;
  std::vector<Round> rounds_;
};

/// An array of a policy that must have this shape. Throws InputError when it has not.
const NamedArray& array_of(const Safetensors& contents, const std::string& name, const std::vector<std::size_t>& shape,
                           std::string_view source);

struct NetworkShape {
  std::size_t width = 32, rounds = 2;
};

/// What the names of all arrays begin with that say which moves to make; the others are about making plans.
inline constexpr std::string_view kMovePrefix = "moves.";

/// Both networks of a policy as learning starts from them: small numbers drawn from a seed.
Safetensors untrained_networks(const NetworkShape& shape, std::uint64_t seed);

}  // namespace hone
