#include "plan/methods/pipeline_guidance.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/machine/machine_file.h"
#include "plan/methods/list_decoder.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::size_t kLayers = 4, kSteps = 6;

/// Layers of a recurrent network: a step of one reads its weight, the step before, and the same step of the layer
/// below.
Problem unrolled_layers() {
  WorkloadBuilder builder("unrolled");
  std::vector<BufferId> weights, below;
  for (std::size_t layer = 0; layer < kLayers; ++layer)
    weights.push_back(builder.add_buffer({.name = fmt::format("weight{}", layer), .bytes = 64e6}));
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    std::vector<BufferId> made;
    for (std::size_t step = 0; step < kSteps; ++step) {
      std::vector<BufferId> read{weights[layer]};
      if (step > 0) read.push_back(made.back());
      if (layer > 0) read.push_back(below[step]);
      const BufferId output = builder.add_buffer({.name = fmt::format("state{}_{}", layer, step), .bytes = 1e5});
      builder.add_operation({.name = fmt::format("step{}_{}", layer, step), .flops = 1e10, .bytes = 1e6}, read,
                            std::span(&output, 1));
      made.push_back(output);
    }
    below = made;
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("p100-4"), .objective = Objective::seconds};
}

TEST(PipelineGuidance, StepsOfALayerLieOnOneDeviceOfTheirOwn) {
  const Problem problem = unrolled_layers();
  const Durations durations(problem);
  ListDecoder decoder(durations);
  ThreadPool pool(2);
  const Plan plan = decoder.decode(pipeline_guidance(durations, pool).front(), undecided_plan(problem));
  std::set<std::uint32_t> devices;
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (std::size_t step = 0; step < kSteps; ++step)
      EXPECT_EQ(plan.device_of[layer * kSteps + step], plan.device_of[layer * kSteps]) << layer << " " << step;
    devices.insert(plan.device_of[layer * kSteps].index());
  }
  EXPECT_EQ(devices.size(), kLayers);
}

TEST(PipelineGuidance, PipelinesRunStepsOfSeveralLayersAtATime) {
  const Problem problem = unrolled_layers();
  const SearchSettings settings{.budget = {.evaluations = 20}, .show_progress = false};
  const Solution solution = solve(problem, "place+schedule", "pipelines", settings);
  const double one_after_another = solution.curve.front().score.value;
  // Layers wait for one another once: so many steps and layers less one, of all steps of all layers.
  EXPECT_LT(solution.cost.seconds, 1.1 * one_after_another * (kSteps + kLayers - 1) / (kSteps * kLayers));
}

TEST(PipelineGuidance, AGraphOfOneOperationOrNoneIsNoTrouble) {
  for (const bool is_empty : {true, false}) {
    WorkloadBuilder builder("small");
    if (!is_empty) {
      const BufferId output = builder.add_buffer({.name = "made", .bytes = 4});
      builder.add_operation({.name = "alone", .flops = 1e6, .bytes = 4}, {}, std::span(&output, 1));
    }
    const Problem problem{.workload = std::move(builder).build(), .machine = load_machine("p100-2")};
    EXPECT_NO_THROW(
        solve(problem, "place+schedule", "pipelines", {.budget = {.evaluations = 20}, .show_progress = false}));
  }
}

}  // namespace
}  // namespace hone
