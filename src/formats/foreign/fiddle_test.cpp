#include "formats/foreign/fiddle.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

/// a -> b -> c and a -> c, two accelerators and a processor; times in milliseconds. Moving a takes 1, b 2.
constexpr std::string_view kGraph = R"({"maxSizePerFPGA": 100, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
  {"id": 7, "supportedOnFpga": 1, "cpuLatency": 50, "fpgaLatency": 5, "isBackwardNode": 0, "size": 40},
  {"id": 8, "supportedOnFpga": 1, "cpuLatency": 60, "fpgaLatency": 6, "isBackwardNode": 0, "size": 50, "colorClass": 3},
  {"id": 9, "supportedOnFpga": 0, "cpuLatency": 20, "fpgaLatency": 0, "isBackwardNode": 0, "size": 60}],
  "edges": [{"sourceId": 7, "destId": 8, "cost": 1}, {"sourceId": 7, "destId": 9, "cost": 1},
            {"sourceId": 8, "destId": 9, "cost": 2}]})";

Cost cost_of(std::string_view split) {
  const FiddleProblem stated = parse_fiddle(kGraph, "graph.json");
  const Problem problem{
      .workload = stated.workload, .machine = machine_of(stated), .objective = Objective::parse("throughput,latency")};
  return ObjectiveCost(problem).evaluate(parse_fiddle_split(split, "split.json", stated));
}

TEST(FiddleTest, CostsWhatThePaperSays) {
  const Cost apart = cost_of(R"({"fpgas": [{"nodes": [7]}, {"nodes": [8]}], "cpus": [{"nodes": [9]}]})");
  EXPECT_DOUBLE_EQ(apart.load_seconds, 0.020) << "the processor; accelerators have 5 + 1 and 6 + 1 + 2";
  EXPECT_DOUBLE_EQ(apart.latency_seconds, 0.035) << "(5 + 1) + (1 + 6 + 2) + 20";
  EXPECT_TRUE(apart.feasible());
  const Cost together = cost_of(R"({"fpgas": [{"nodes": [7, 8]}], "cpus": [{"nodes": [9]}]})");
  EXPECT_DOUBLE_EQ(together.latency_seconds, 0.034) << "(5 + 6 + 1 + 2) + 20";
  const Cost mixed = cost_of(R"({"fpgas": [{"nodes": [8]}], "cpus": [{"nodes": [7]}, {"nodes": [9]}]})");
  EXPECT_DOUBLE_EQ(mixed.load_seconds, 0.070) << "the processor pays for no transfers";
}

TEST(FiddleTest, LimitsTheMemoryOfAccelerators) {
  std::string graph(kGraph);
  graph.replace(graph.find("100"), 3, "080");
  graph.replace(graph.find("080"), 3, " 80");
  const FiddleProblem stated = parse_fiddle(graph, "graph.json");
  const Problem problem{.workload = stated.workload, .machine = machine_of(stated), .objective = Objective::throughput};
  const Plan plan = parse_fiddle_split(R"({"fpgas": [{"nodes": [7, 8]}], "cpus": [{"nodes": [9]}]})", "s", stated);
  const Cost cost = ObjectiveCost(problem).evaluate(plan);
  EXPECT_EQ(cost.obstacle, Obstacle::memory);
  EXPECT_DOUBLE_EQ(cost.overflow_bytes, 10);
}

TEST(FiddleTest, RefusesImpossibleSplitsAndMachines) {
  const FiddleProblem stated = parse_fiddle(kGraph, "graph.json");
  for (const char* split : {R"({"fpgas": [], "cpus": []})", R"({"fpgas": [{"nodes": [7, 8]}]})",
                            R"({"fpgas": [{}, {}, {}, {"nodes": [7, 8, 9]}]})"})
    EXPECT_THROW(parse_fiddle_split(split, "split.json", stated), InputError) << split;
  FiddleProblem many = parse_fiddle(kGraph, "graph.json");
  many.accelerators = std::int64_t{1} << 62;
  EXPECT_THROW(machine_of(many), InputError);
  many.accelerators = many.cpus = 0;
  EXPECT_THROW(machine_of(many), InputError);
}

TEST(FiddleTest, NodesThatASplitDoesNotNameFollowTheirColour) {
  std::string graph(kGraph);
  graph.replace(graph.find("\"size\": 40"), 10, "\"size\": 40, \"colorClass\": 3");
  const FiddleProblem stated = parse_fiddle(graph, "graph.json");
  const Plan plan = parse_fiddle_split(R"({"fpgas": [{}, {"nodes": [8]}], "cpus": [{"nodes": [9]}]})", "s", stated);
  EXPECT_EQ(plan.device_of[0], plan.device_of[1]);
}

}  // namespace
}  // namespace hone
