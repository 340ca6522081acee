#include "learn/policy/gene_by_gene.h"
#include "learn/policy/plan_policy.h"

namespace hone {
namespace {

/// Every decision by itself: REGAL's conditionally independent policy.
class GenewisePolicy final : public PlanPolicyKind {
 public:
  GenewisePolicy() : PlanPolicyKind("independent", "plans are drawn gene by gene") {}

  std::unique_ptr<PlanMaker> make_maker(const GraphView& graph) const override {
    return std::make_unique<GeneByGene>(graph);
  }

  /// The reference order; devices as they come, but for slow ones where time counts.
  void set_first_rule(Safetensors& contents, const Objective& objective) const override {
    set_weight(contents, GeneFeature::due, -4);
    if (!objective.asks_for(Measure::memory)) set_weight(contents, GeneFeature::duration, -5);
  }
};

const GenewisePolicy genewise;

}  // namespace
}  // namespace hone
