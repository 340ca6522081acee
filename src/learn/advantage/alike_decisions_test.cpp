#include "learn/advantage/alike_decisions.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "plan/machine/machine_file.h"
#include "plan/search/task.h"

namespace hone {
namespace {

/// Layers of four pointwise operations, each layer larger than the one before.
Problem layers_that_grow(std::size_t layers) {
  WorkloadBuilder builder("layers");
  BufferId data = builder.add_buffer({.bytes = 64, .kind = Buffer::Kind::input});
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (const char* op : {"Exp", "Tanh", "Relu", "Sqrt"}) {
      const double points = 16.0 * static_cast<double>(layer + 1);
      Operation operation{.name = op + std::to_string(layer), .op = op};
      operation.operation_class = OperationClass::pointwise;
      operation.loop.kind = Loop::Kind::map;
      operation.loop.points = operation.loop.rows = operation.loop.results = points;
      operation.loop.reads.push_back(Access::same);
      const BufferId made = builder.add_buffer({.bytes = 4 * points});
      builder.add_operation(std::move(operation), std::array{data}, std::array{made});
      data = made;
    }
  return {.workload = std::move(builder).build(), .machine = load_machine("h200-1"), .objective = Objective::seconds};
}

TEST(AlikeDecisions, FindsTheSamePlaceInOtherLayers) {
  const Problem problem = layers_that_grow(6);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", undecided_plan(problem));
  const DecisionUnits units(problem, *task);
  const auto read_of = [&](const std::string& producer) {
    for (std::uint32_t unit = 0; unit < units.single_count(); ++unit)
      if (units.at(unit).reader.valid() && problem.workload.operation(units.at(unit).operation).name == producer)
        return unit;
    ADD_FAILURE() << "nothing is decided about what reads " << producer;
    return 0U;
  };
  const std::array changes{DecisionChange{read_of("Exp2"), 1}, DecisionChange{read_of("Tanh2"), 2}};
  const AlikeDecisions alike(problem.workload, units);
  std::set<std::string> layers;
  for (const std::vector<DecisionChange>& place : alike.elsewhere(changes)) {
    ASSERT_EQ(place.size(), 2U);
    const std::string& first = problem.workload.operation(units.at(place[0].unit).operation).name;
    const std::string& second = problem.workload.operation(units.at(place[1].unit).operation).name;
    EXPECT_EQ(first.substr(0, 3), "Exp");
    EXPECT_EQ(second, "Tanh" + first.substr(3)) << "of another layer than " << first;
    EXPECT_EQ(place[0].option, 1U);
    EXPECT_EQ(place[1].option, 2U);
    layers.insert(first);
  }
  for (const char* layer : {"Exp1", "Exp3", "Exp4"}) EXPECT_TRUE(layers.contains(layer)) << layer;
  EXPECT_FALSE(layers.contains("Exp2")) << "where the changes were made";
}

TEST(AlikeDecisions, KnowsNoPlaceForWhatHangsTogetherNowhere) {
  const Problem problem = layers_that_grow(40);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", undecided_plan(problem));
  const DecisionUnits units(problem, *task);
  const AlikeDecisions alike(problem.workload, units);
  EXPECT_TRUE(alike.elsewhere({}).empty());
  const auto last = static_cast<std::uint32_t>(units.single_count() - 1);
  EXPECT_TRUE(alike.elsewhere(std::array{DecisionChange{0, 1}, DecisionChange{last, 1}}).empty())
      << "decisions at both ends of the graph are no pattern";
}

}  // namespace
}  // namespace hone
