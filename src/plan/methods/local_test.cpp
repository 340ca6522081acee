#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

/// Small changes do not lead from one full device to many that are even, see LocalSearch.
TEST(LocalSearch, FillsMoreThanTwoDevices) {
  const char* const machines[] = {"p100-4", "h200-8"};
  for (const char* machine : machines) {
    const Problem problem{.workload = layered_training_workload(1500, 4),
                          .machine = load_machine(machine),
                          .objective = Objective::peak_bytes};
    const auto peak = [&](std::string_view optimizer) {
      return solve(problem, "place+schedule+transfers", optimizer, {.budget = {.evaluations = 400}, .seed = 1})
          .cost.peak_bytes;
    };
    EXPECT_LT(peak("local"), 1.05 * peak("brkga")) << machine;
  }
}

}  // namespace
}  // namespace hone
