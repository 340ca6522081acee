#include "learn/policy/plan_maker.h"

#include "learn/policy/construction.h"
#include "learn/policy/gene_by_gene.h"

namespace hone {

std::unique_ptr<PlanMaker> make_plan_maker(Head head, const GraphView& graph) {
  if (head == Head::independent) return std::make_unique<GeneByGene>(graph);
  return std::make_unique<Construction>(graph);
}

}  // namespace hone
