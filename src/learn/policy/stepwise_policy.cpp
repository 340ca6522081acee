#include "learn/policy/construction.h"
#include "learn/policy/plan_policy.h"

namespace hone {
namespace {

class StepwisePolicy final : public PlanPolicyKind {
 public:
  StepwisePolicy() : PlanPolicyKind("autoregressive", "plans are drawn step by step") {}

  std::unique_ptr<PlanMaker> make_maker(const GraphView& graph) const override {
    return std::make_unique<Construction>(graph);
  }

  /// Little memory, copies and excess, in the reference order.
  void set_first_rule(Safetensors& contents, const Objective& objective) const override {
    float& wait = contents.arrays.at(kWaitArray).values[static_cast<std::size_t>(WaitFeature::one)];
    set_weight(contents, OptionFeature::due, -4);
    if (objective.asks_for(Measure::memory)) {
      set_weight(contents, OptionFeature::made, -1);
      set_weight(contents, OptionFeature::copied, -2);
      set_weight(contents, OptionFeature::resident, -2);
      set_weight(contents, OptionFeature::freed, 1);
      set_weight(contents, OptionFeature::shared, 2);
      set_weight(contents, OptionFeature::excess, -2);
      set_weight(contents, OptionFeature::lead, -2);
      set_weight(contents, OptionFeature::recent, 1);
      wait = -2;
    } else {
      set_weight(contents, OptionFeature::tail, 4);
      set_weight(contents, OptionFeature::duration, -5);
      wait = -8;
    }
  }
};

const StepwisePolicy stepwise;

}  // namespace

const PlanPolicyKind& stepwise_policy() { return stepwise; }

}  // namespace hone
