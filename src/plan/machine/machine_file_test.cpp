#include "plan/machine/machine_file.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::string_view kGood = R"(name = "m"
[[device]]
kind = "cpu"
memory_bytes = 100
bytes_per_second = 10
launch_seconds = 1
[device.flops]
float = 4
[[device]]
kind = "gpu"
count = 2
memory_bytes = 100
bytes_per_second = 20
launch_seconds = 2
scratch_bytes = 5
live_values = 6
[device.flops]
float = 8
float16 = 16
[device.efficiency.matmul]
flops = [[1, 0.25], [16, 0.75]]
[[link]]
from = "*"
to = "gpu"
latency_seconds = 1
bytes_per_second = 2
sharing = "sender"
[[link]]
from = "gpu"
to = "cpu"
free = true
)";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    parse_machine(text, "m.toml");
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(MachineFileTest, ReadsDevicesAndSharedLinks) {
  const Machine machine = parse_machine(kGood, "m.toml");
  ASSERT_EQ(machine.device_count(), 3U);
  EXPECT_EQ(machine.devices[0].name, "cpu");
  EXPECT_EQ(machine.devices[2].name, "gpu:1");
  const DeviceId cpu(0), gpu0(1), gpu1(2);
  EXPECT_EQ(machine.route(cpu, gpu0), machine.route(cpu, gpu1)) << "one queue out of each sender";
  EXPECT_NE(machine.route(cpu, gpu0), machine.route(gpu0, gpu1));
  EXPECT_NE(machine.route(gpu0, cpu), machine.route(gpu1, cpu)) << "a queue for each pair unless said otherwise";
  EXPECT_EQ(machine.link(machine.route(cpu, gpu0)).seconds(4), 3);
  EXPECT_EQ(machine.link(machine.route(gpu0, cpu)).seconds(1e12), 0);
}

TEST(MachineFileTest, WhatBoundsGroupsMayBeStated) {
  const Machine machine = parse_machine(kGood, "m.toml");
  EXPECT_EQ(machine.kinds[0].scratch_bytes, DeviceKind().scratch_bytes);
  EXPECT_EQ(machine.kinds[0].live_values, DeviceKind().live_values);
  EXPECT_EQ(machine.kinds[1].scratch_bytes, 5);
  EXPECT_EQ(machine.kinds[1].live_values, 6);
  EXPECT_EQ(refusal(with("scratch_bytes = 5", "scratch_bytes = -5")),
            "m.toml: device[1].scratch_bytes must be finite and not negative");
  EXPECT_EQ(refusal(with("live_values = 6", "live_values = 0")), "m.toml: device[1].live_values must be over 0");
}

TEST(MachineFileTest, RefusalNamesFileAndKey) {
  EXPECT_EQ(refusal(with("launch_seconds = 2", "lunch_seconds = 2")), "m.toml: device[1].launch_seconds is missing");
  EXPECT_EQ(refusal(with("count = 2", "colour = 2")), "m.toml: device[1].colour is not a known key");
  EXPECT_EQ(refusal(with("memory_bytes = 100", "memory_bytes = -1")),
            "m.toml: device[0].memory_bytes must be finite and not negative");
  EXPECT_EQ(refusal(with("memory_bytes = 100", "memory_bytes = inf")),
            "m.toml: device[0].memory_bytes must be finite and not negative");
  EXPECT_EQ(refusal(with("memory_bytes = 100", "memory_bytes = nan")),
            "m.toml: device[0].memory_bytes must be finite and not negative");
  EXPECT_EQ(refusal(with("memory_bytes = 100", "memory_bytes = \"big\"")),
            "m.toml: device[0].memory_bytes must be a number");
  EXPECT_EQ(refusal(with("float = 4", "float16 = 4")), "m.toml: device[0].flops.float is missing");
  EXPECT_EQ(refusal(with("float = 4", "float = 4\nfloat17 = 4")),
            "m.toml: device[0].flops.float17 is not an element type");
  EXPECT_EQ(refusal(with("from = \"gpu\"", "from = \"tpu\"")),
            "m.toml: link[1].from: no device or kind is called 'tpu'");
  EXPECT_EQ(refusal(with("to = \"cpu\"", "to = \"gpu\"")), "m.toml: link[1].to: gpu:0 and gpu:1 are joined twice");
  EXPECT_EQ(refusal(with("efficiency.matmul", "efficiency.magic")),
            "m.toml: device[1].efficiency.magic is not a class of operations");
  EXPECT_EQ(refusal(with("[16, 0.75]", "[1, 0.75]")),
            "m.toml: device[1].efficiency.matmul.flops must have ascending sizes");
  EXPECT_EQ(refusal(with("count = 2", "count = 100000")),
            "m.toml: device[1].count must be a whole number from 1 to 64");
  EXPECT_EQ(refusal(with("free = true", "free = true\nlatency_seconds = 1")),
            "m.toml: link[1].latency_seconds is not a known key");
  const std::string no_way_back = std::string(kGood.substr(0, kGood.rfind("[[link]]")));
  EXPECT_EQ(refusal(no_way_back), "m.toml: link: none joins gpu:0 to cpu");
  EXPECT_EQ(refusal("name = \"m\""), "m.toml: device is missing");
  EXPECT_EQ(refusal("name = [").substr(0, 18), "m.toml:1: not TOML");
}

TEST(MachineFileTest, EveryCutOfAFileIsRefusedOrRead) {
  for (std::size_t length = 0; length < kGood.size(); ++length) {
    const std::string message = refusal(std::string(kGood.substr(0, length)));
    EXPECT_TRUE(message == "accepted" || message.starts_with("m.toml:")) << message;
  }
}

TEST(MachineFileTest, BuiltinsRead) {
  std::vector<std::string> names;
  for (const BuiltinMachine& builtin : builtin_machines()) {
    const Machine machine = load_machine(std::string(builtin.name));
    EXPECT_EQ(machine.name, builtin.name);
    EXPECT_FALSE(machine.summary.empty());
    names.push_back(machine.name);
  }
  for (const char* wanted : {"regal-2", "p100-2", "p100-4", "p100-8", "v100-8", "h200-8", "cpu-gpu", "tpu-like"})
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  EXPECT_THROW(load_machine("no-such-machine"), InputError);
}

TEST(MachineFileTest, DeviceTextReadsBackEqual) {
  const DeviceKind kind = parse_machine(kGood, "m.toml").kinds[1];
  const Machine again = parse_machine(toml_of_device(kind, "again", "a \"quoted\" summary"), "again.toml");
  EXPECT_EQ(again.kinds[0], kind);
  EXPECT_EQ(again.summary, "a \"quoted\" summary");
}

TEST(MachineTest, RooflineTakesTheLongerSideAndTheLaunch) {
  const Machine machine = parse_machine(kGood, "m.toml");
  const DeviceId gpu(1);
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::pointwise, ElementType::float32, 80, 20}), 10 + 2);
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::pointwise, ElementType::float16, 80, 200}), 10 + 2);
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::pointwise, ElementType::int64, 80, 0}), 10 + 2)
      << "as fast as float";
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::view, ElementType::float32, 0, 0}), 0);
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::matmul, ElementType::float32, 16, 0}), 16 / (8 * 0.75) + 2);
  EXPECT_EQ(seconds(machine, gpu, {OperationClass::collective, ElementType::float32, 0, 4}), 0 + 2)
      << "over the free link";
}

TEST(EfficiencyCurveTest, IsLinearOverTheLogarithmAndFlatOutside) {
  const EfficiencyCurve curve({{1, 0.25}, {16, 0.75}});
  EXPECT_EQ(curve.at(0), 0.25);
  EXPECT_EQ(curve.at(1), 0.25);
  EXPECT_DOUBLE_EQ(curve.at(4), 0.5);
  EXPECT_EQ(curve.at(1e9), 0.75);
  EXPECT_EQ(EfficiencyCurve().at(5), 1);
}

}  // namespace
}  // namespace hone
