#include "report/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

std::pair<int, int> track_of(const nlohmann::json& event) {
  return {event.at("pid").get<int>(), event.at("tid").get<int>()};
}

TEST(TraceTest, IsJsonWithATrackForEverythingAndNoOverlapOnAny) {
  const Workload workload = layered_training_workload(300, 1);
  const Machine machine = load_machine("p100-4");
  Rng rng(1);
  Plan plan;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) plan.device_of.emplace_back(rng.below(4));
  const Timeline timeline = Simulator(std::make_shared<SimulatorTables>(workload, machine)).trace(plan);
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "hone_trace_test.json";
  write_trace(path, workload, machine, plan, timeline);
  std::ifstream file(path);
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::filesystem::remove(path);

  std::map<std::string, std::size_t> by_phase;
  std::map<std::pair<int, int>, double> busy_until;
  std::set<std::pair<int, int>> named;
  std::vector<nlohmann::json> slices;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    ++by_phase[event.at("ph")];
    if (event.at("name") == "thread_name") named.insert(track_of(event));
    if (event.at("ph") == "X") slices.push_back(event);
  }
  std::ranges::stable_sort(slices, {}, [](const nlohmann::json& slice) { return slice.at("ts").get<double>(); });
  for (const nlohmann::json& slice : slices) {
    const std::pair<int, int> track = track_of(slice);
    EXPECT_TRUE(named.contains(track));
    EXPECT_GE(slice.at("ts").get<double>(), busy_until[track] - 1e-3);
    busy_until[track] = slice.at("ts").get<double>() + slice.at("dur").get<double>();
  }
  EXPECT_EQ(by_phase["X"], timeline.runs.size() + timeline.transfers.size());
  EXPECT_EQ(by_phase["s"], timeline.transfers.size());
  EXPECT_EQ(by_phase["f"], timeline.transfers.size());
  EXPECT_GT(by_phase["C"], 0U);
}

TEST(TraceTest, GroupsAreNamedByWhatTheyContainAndSizedByWhatCrossesMemory) {
  WorkloadBuilder builder("chain");
  BufferId last = builder.add_buffer({.name = "x", .bytes = 100, .kind = Buffer::Kind::input});
  for (const char* op : {"Exp", "Neg", "Neg", "Abs"}) {
    const BufferId output = builder.add_buffer({.name = "made", .bytes = 10});
    builder.add_operation({.name = fmt::format("my{}", op), .op = op}, std::span(&last, 1), std::span(&output, 1));
    last = output;
  }
  const Workload workload = std::move(builder).build();
  const Machine machine = load_machine("p100-4");
  const Plan plan{.group_of = {GroupId(0), GroupId(0), GroupId(0), GroupId(1)},
                  .device_of = {DeviceId(0), DeviceId(0)}};
  const Timeline timeline = Simulator(std::make_shared<SimulatorTables>(workload, machine)).trace(plan);
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "hone_group_trace_test.json";
  write_trace(path, workload, machine, plan, timeline);
  std::ifstream file(path);
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::filesystem::remove(path);
  std::vector<nlohmann::json> slices;
  for (const nlohmann::json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") slices.push_back(event);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0]["name"], "Exp+Neg*2");
  EXPECT_EQ(slices[0]["args"]["operations"], 3);
  EXPECT_EQ(slices[0]["args"]["activation_size"], 100);
  EXPECT_EQ(slices[0]["args"]["output_size"], 10);
  EXPECT_EQ(slices[1]["name"], "myAbs");
}

}  // namespace
}  // namespace hone
