#include "plan/emit/hlo_schedule.h"

#include "formats/hlo/print.h"
#include "formats/hlo/workload.h"

namespace hone {

std::string scheduled_text(const hlo::Module& module, const Execution& execution) {
  std::vector<OperationId> order;
  for (const Execution::Step& step : execution.steps) order.push_back(step.operation);
  return hlo::print_with_order(module, hlo::entry_order(module, order));
}

}  // namespace hone
