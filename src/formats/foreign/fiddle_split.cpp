#include <unordered_map>

#include "base/error.h"
#include "formats/foreign/fiddle.h"
#include "formats/foreign/json_reader.h"

namespace hone {
namespace {

using DeviceOfNode = std::unordered_map<std::int64_t, DeviceId>;

/// Takes a list of devices with their nodes; the device of list place i is `first + i * stride`.
void read_devices(JsonReader& json, std::size_t first, std::size_t stride, DeviceOfNode& device_of) {
  std::size_t device = first;
  json.array([&] {
    json.object([&](std::string_view key) {
      if (key == "nodes") json.array([&] { device_of[json.integer()] = DeviceId(device); });
      else json.skip();
    });
    device += stride;
  });
}

}  // namespace

Plan parse_fiddle_split(std::string_view text, const std::string& file, const FiddleProblem& problem) {
  DeviceOfNode device_of;
  const auto accelerators = static_cast<std::size_t>(problem.accelerators);
  JsonReader json(text, file);
  json.object([&](std::string_view key) {
    if (key == "fpgas") read_devices(json, 0, 1, device_of);
    else if (key == "cpus") read_devices(json, accelerators, 0, device_of);
    else json.skip();
  });
  json.finish();
  std::unordered_map<std::uint32_t, DeviceId> device_of_colour;
  for (std::size_t i = 0; i < problem.node_ids.size(); ++i)
    if (const auto found = device_of.find(problem.node_ids[i]); found != device_of.end())
      device_of_colour.emplace(problem.workload.operation(OperationId(i)).colocate, found->second);
  Plan plan;
  const auto devices = accelerators + static_cast<std::size_t>(problem.cpus);
  for (std::size_t i = 0; i < problem.node_ids.size(); ++i) {
    const auto found = device_of.find(problem.node_ids[i]);
    const std::uint32_t colour = problem.workload.operation(OperationId(i)).colocate;
    const bool follows = found == device_of.end() && colour != 0 && device_of_colour.contains(colour);
    if (found == device_of.end() && !follows) fail("{}: node {} is nowhere", file, problem.node_ids[i]);
    plan.device_of.push_back(follows ? device_of_colour.at(colour) : found->second);
    if (plan.device_of.back().index() >= devices) fail("{}: more devices than the {} there are", file, devices);
  }
  return plan;
}

}  // namespace hone
