// PPO: several careful steps with the same plans, against a learned baseline.

#include <numeric>

#include "learn/policy/construction.h"
#include "learn/train/baseline.h"
#include "learn/train/plan_algorithm.h"

namespace hone::learn {
namespace {

constexpr int kEpochs = 4;            // steps with the same plans
constexpr double kValueWeight = 0.5;  // of the baseline's loss, against that of plans

class Ppo final : public PlanAlgorithm {
 public:
  explicit Ppo(const TrainingRequest& request) : request_(request), baseline_(request.seed + 2) {}

  PlanValues advantages_of(const PlanValues& rewards, const Batch& batch) const override {
    const NamedArray guesses = to_array(baseline_.values(batch));
    std::vector<double> all;
    for (std::size_t i = 0; i < rewards.size(); ++i)
      for (const double reward : rewards[i]) all.push_back(reward - static_cast<double>(guesses.values[i]));
    all = advantages(all);
    PlanValues worths(rewards.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < rewards.size(); ++i)
      for (std::size_t k = 0; k < rewards[i].size(); ++k) worths[i].push_back(all[next++]);
    return worths;
  }

  double learn(const PlanStep& step) override {
    const torch::Tensor& wait = step.network.free(kWaitArray);
    const DecisionExamples::Loss first = step.examples.loss(step.weights, wait, request_.entropy);
    first.total.backward();
    const torch::Tensor target = mean_rewards(step.rewards);
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      if (epoch > 0)
        step.examples.loss(step.network.forward(step.batch), wait, request_.entropy, first.chosen).total.backward();
      (kValueWeight * (baseline_.values(step.batch) - target).pow(2).mean()).backward();
      std::map<std::string, torch::Tensor> all = step.network.parameters();
      all.insert(baseline_.parameters().begin(), baseline_.parameters().end());
      step.adam.step(all, request_.rate);
    }
    return first.entropy;
  }

  void save(Safetensors& state) const override { state.arrays.merge(baseline_.save().arrays); }
  void load(const Safetensors& state) override { baseline_.load(state); }

 private:
  static torch::Tensor mean_rewards(const PlanValues& rewards) {
    NamedArray means{.shape = {rewards.size()}, .values = {}};
    for (const std::vector<double>& each : rewards)
      means.values.push_back(
          static_cast<float>(std::reduce(each.begin(), each.end()) / static_cast<double>(each.size())));
    return to_tensor(means);
  }

  TrainingRequest request_;
  Baseline baseline_;
};

const PlanAlgorithmKind ppo("ppo", make_algorithm<Ppo>);

}  // namespace
}  // namespace hone::learn
