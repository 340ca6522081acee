#pragma once

#include <string>
#include <string_view>

#include "policy/construction.h"
#include "policy/features.h"
#include "policy/safetensors.h"

namespace hone {

/// The network of a policy, evaluated without any library: features of works are embedded, some rounds of messages go
/// along the graph in both directions, and every work gets its weights for what a construction sees.
///
///   h = relu(E x + e)
///   h = h + relu(S h + P mean(h of works before) + N mean(h of works after) + b)    in every round
///   weights = H h + k
class Network {
 public:
  /// Throws InputError when arrays are missing or do not fit together.
  Network(const Safetensors& contents, std::string_view source);

  std::size_t width() const { return width_; }
  std::size_t rounds() const { return rounds_.size(); }
  Taste taste(const GraphView& graph, const Features& features) const;

 private:
  struct Round {
    NamedArray self, before, after, bias;
  };

  std::size_t width_ = 0;
  NamedArray embed_, embed_bias_, head_, head_bias_, wait_;
  std::vector<Round> rounds_;
};

/// Weights that a network starts from: a rule made by hand for the head's bias, and small numbers drawn from a seed.
struct NetworkShape {
  std::size_t width = 32, rounds = 2;
};
Safetensors untrained_network(const NetworkShape& shape, std::uint64_t seed);

}  // namespace hone
