#include "plan/emit/hlo_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/hlo/print.h"
#include "formats/hlo/read.h"
#include "formats/hlo/sample_test.h"
#include "formats/hlo/workload.h"
#include "plan/emit/placed_case_test.h"

namespace hone {
namespace {

TEST(HloScheduleTest, ReadsBackEqualButForTheOrderWhichIsThePlans) {
  const hlo::Module module = hlo::read_text(hlo::kSampleText);
  const Workload workload = hlo::to_workload(module);
  const Machine machine = load_machine("p100-2");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Plan plan = random_plan(workload, machine, seed);
    std::ranges::fill(plan.device_of, DeviceId(0));
    const Execution execution = carry_out(workload, machine, plan);
    const hlo::Module found = hlo::read_text(scheduled_text(module, plan, execution));
    EXPECT_TRUE(found.is_scheduled());

    std::vector<std::string_view> planned, written;
    for (const Execution::Step& step : execution.steps) planned.push_back(workload.operation(step.operation).name);
    for (const hlo::InstructionId id : hlo::operation_instructions(found))
      written.push_back(found.instruction(id).name);
    EXPECT_EQ(written, planned);

    // Back in the order of the original nothing differs.
    std::vector<hlo::InstructionId> original;
    for (const hlo::Instruction& one : module.instructions_of(module.entry_computation()))
      for (std::uint32_t i = 0; i < found.entry_computation().instructions.count; ++i)
        if (const hlo::InstructionId id(found.entry_computation().instructions.begin + i);
            found.instruction(id).name == one.name)
          original.push_back(id);
    EXPECT_EQ(hlo::read_text(hlo::print_with_order(found, original)), module);
  }
}

}  // namespace
}  // namespace hone
