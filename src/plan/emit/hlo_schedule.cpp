#include "plan/emit/hlo_schedule.h"

#include "formats/hlo/print.h"
#include "formats/hlo/workload.h"
#include "plan/emit/hlo_fusion.h"

namespace hone {

std::string scheduled_text(const hlo::Module& module, const Plan& plan, const Execution& execution) {
  if (execution.groups.size() < execution.steps.size() || !plan.copies.empty()) {
    const hlo::Module fused = fuse_groups(module, plan, execution.groups);
    const hlo::Range range = fused.entry_computation().instructions;
    std::vector<hlo::InstructionId> order;
    for (std::uint32_t i = 0; i < range.count; ++i) order.emplace_back(range.begin + i);
    return hlo::print_with_order(fused, order);
  }
  std::vector<OperationId> order;
  for (const Execution::Step& step : execution.steps) order.push_back(step.operation);
  return hlo::print_with_order(module, hlo::entry_order(module, order));
}

}  // namespace hone
