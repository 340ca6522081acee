#pragma once

#include "learn/policy_network.h"
#include "learn/training_graph.h"
#include "policy/moves.h"

namespace hone::learn {

/// Moves that could be made at one plan, and how much better they make it.
struct Offers {
  std::vector<std::uint32_t> works;
  std::vector<MoveSights> sights;
  std::vector<float> gains;  // from 0 where it gets no better to 1 for the best of them
};

/// Improves a plan for a while by moves the policy likes, and takes note of all that could be made near the end.
/// `start` is where to begin.
std::vector<Offers> collect_offers(const TrainingGraph& graph, const MoveTaste& taste, const Plan& start, Rng rng);

/// Offers of many plans, ready for a gradient.
class MoveLessons {
 public:
  /// `first`: the row of the graph's first work in a batch.
  void add(const Offers& offers, std::int64_t first);
  std::int64_t count() const { return count_; }

  struct Loss {
    torch::Tensor total;
    double gain = 0;  // of moves picked by the policy, mean
  };
  /// The likelier a move that makes a plan much better is picked the less.
  Loss loss(const torch::Tensor& weights) const;
  /// The mean when moves are picked blindly.
  double blind_gain() const;

 private:
  std::vector<std::int64_t> work_;      // by offer: row of a batch
  std::vector<float> sights_;           // by offer
  std::vector<std::int64_t> decision_;  // by offer: plan
  std::vector<float> gains_;            // by offer
  std::int64_t count_ = 0;              // plans
};

}  // namespace hone::learn
