#pragma once

#include "learn/policy/moves.h"
#include "learn/train/torch.h"
#include "learn/train/training_graph.h"

namespace hone::learn {

/// Moves that could be made at one plan, and which of them make it better.
struct Offers {
  std::vector<std::uint32_t> operations;
  std::vector<MoveFeatures> features;
  std::vector<bool> is_better;
};

/// Improves a plan for a while by moves the policy prefers, and takes note of all that could be made near the end.
/// `start` is where to begin.
std::vector<Offers> collect_offers(const TrainingGraph& graph, const MoveWeights& weights, const Plan& start, Rng rng);

/// Offers of many plans, ready for a gradient.
class MoveExamples {
 public:
  /// `first`: the row of the graph's first operation in a batch.
  void add(const Offers& offers, std::int64_t first);
  std::int64_t count() const { return count_; }

  struct Loss {
    torch::Tensor total;
    double hits = 0;  // share of moves picked by the policy that make a plan better
  };
  /// The likelier a move that makes a plan better is picked the less.
  Loss loss(const torch::Tensor& weights) const;
  /// The same share when moves are picked blindly.
  double blind_hits() const;

 private:
  std::vector<std::int64_t> operation_;  // by offer: row of a batch
  std::vector<float> features_;          // by offer
  std::vector<std::int64_t> decision_;   // by offer: plan
  std::vector<float> better_;            // by offer: 1 or 0
  std::int64_t count_ = 0;               // plans
};

}  // namespace hone::learn
