// REINFORCE: plans better than others of their graph become likelier; and imitation of the best plan known.

#include <algorithm>

#include "learn/policy/construction.h"
#include "learn/train/plan_algorithm.h"

namespace hone::learn {
namespace {

double learn_once(const PlanStep& step, const TrainingRequest& request, double entropy_weight) {
  const DecisionExamples::Loss loss = step.examples.loss(step.weights, step.network.free(kWaitArray), entropy_weight);
  loss.total.backward();
  step.adam.step(step.network.parameters(), request.rate);
  return loss.entropy;
}

class Reinforce final : public PlanAlgorithm {
 public:
  explicit Reinforce(const TrainingRequest& request) : request_(request) {}

  PlanValues advantages_of(const PlanValues& rewards, const Batch&) const override {
    PlanValues worths(rewards.size());
    std::ranges::transform(rewards, worths.begin(), advantages);
    return worths;
  }
  double learn(const PlanStep& step) override { return learn_once(step, request_, request_.entropy); }

 private:
  TrainingRequest request_;
};

class Imitation final : public PlanAlgorithm {
 public:
  explicit Imitation(const TrainingRequest& request) : request_(request) {}

  bool imitates() const override { return true; }
  PlanValues advantages_of(const PlanValues& rewards, const Batch&) const override {
    return PlanValues(rewards.size());
  }
  double learn(const PlanStep& step) override { return learn_once(step, request_, 0); }

 private:
  TrainingRequest request_;
};

const PlanAlgorithmKind reinforce("reinforce", make_algorithm<Reinforce>);
const PlanAlgorithmKind supervised("supervised", make_algorithm<Imitation>);

}  // namespace
}  // namespace hone::learn
