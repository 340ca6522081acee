#pragma once

#include <vector>

#include "learn/policy/construction.h"
#include "learn/train/torch.h"

namespace hone::learn {

/// How much better than the others of the same graph each of some values is: standardised over the samples, and
/// nothing when all are the same.
std::vector<double> advantages(const std::vector<double>& rewards);

/// Decisions of many drawn plans with what they were worth, ready for a gradient.
class DecisionExamples {
 public:
  /// `first`: the row of the graph's first operation in a batch.
  void add(const Trace& trace, std::int64_t first, double advantage);
  bool empty() const { return advantage_.empty(); }

  struct Loss {
    torch::Tensor total;
    double entropy = 0;    // of a decision, in nats
    torch::Tensor chosen;  // by decision: logarithm of the chance of what was chosen, without a gradient
  };
  /// REINFORCE: what was better than usual shall become likelier; a little for choices that stay open. With the
  /// `chosen` of the plans as they were drawn it is the clipped objective of PPO (Schulman et al., "Proximal policy
  /// optimization algorithms", 2017), decision by decision, which allows for several steps with the same plans.
  Loss loss(const torch::Tensor& weights, const torch::Tensor& wait, double entropy_worth,
            const torch::Tensor& before = {}) const;

 private:
  std::vector<std::int64_t> operation_;  // by candidate: row of a batch
  std::vector<float> features_;          // by candidate
  std::vector<float> wait_features_;     // by decision that could wait
  std::vector<std::int64_t> place_;      // by option, candidates and then waits in the order of decisions: where it is
  std::vector<std::int64_t> decision_;   // by option
  std::vector<std::int64_t> chosen_;     // by decision: option
  std::vector<float> advantage_;         // by decision, by the length of its plan
  std::int64_t waits_ = 0;
  std::size_t count_ = 0;  // plans added
};

/// Logarithms of the shares that scores become by a softmax among the options of each decision.
torch::Tensor log_shares(const torch::Tensor& scores, const std::vector<std::int64_t>& decision_of, std::int64_t count);

}  // namespace hone::learn
