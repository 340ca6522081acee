#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/policy/card.h"
#include "learn/policy/construction.h"
#include "learn/policy/features.h"
#include "learn/policy/moves.h"
#include "learn/policy/recurrence.h"

namespace hone {

/// A network of a policy, evaluated without any library: features of operations are embedded, operations hear of each
/// other in some rounds, and every operation gets its weights for what can be seen when it is decided about. In a round
/// messages go along the graph in both directions, or all operations are read as a sequence in topological order, from
/// both ends.
///
///   h = relu(E x + e)
///   h = h + relu(S h + P mean(h of operations before) + N mean(h of operations after) + b)    in every round of
///   messages h = h + state of one recurrence after all before + of another after all behind  in every round of a
///   sequence weights = H h + k
class Network {
 public:
  /// Its arrays are those whose names begin with `prefix`. Throws InputError when some are missing or do not fit
  /// together.
  Network(const Safetensors& contents, const std::string& prefix, std::size_t outputs, std::string_view source);

  std::size_t width() const { return width_; }
  std::size_t rounds() const { return rounds_.size() + readings_.size(); }
  /// A row of weights for every operation.
  std::vector<float> weights(const GraphView& graph, const Features& features) const;

 private:
  struct Round {
    NamedArray self, before, after, bias;
  };
  struct Reading {
    Recurrence forward, backward;
  };

  void read_as_sequence(const GraphView& graph, std::vector<float>& hidden) const;

  std::size_t width_ = 0;
  NamedArray embed_, embed_bias_, head_, head_bias_;
  std::vector<Round> rounds_;      // of messages
  std::vector<Reading> readings_;  // of a sequence
};

/// What a policy is like before it has learned anything.
struct NetworkShape {
  std::size_t width = 32, rounds = 2;
  Encoder encoder = Encoder::messages;
  Head head = Head::autoregressive;
};

/// What the names of all arrays begin with that say which moves to make; the others are about making plans.
inline constexpr std::string_view kMovePrefix = "moves.";

/// Both networks of a policy as learning starts from them: small numbers drawn from a seed.
Safetensors untrained_networks(const NetworkShape& shape, std::uint64_t seed);

}  // namespace hone
