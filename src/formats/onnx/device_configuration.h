#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"

namespace hone::onnx {

/// A set of devices that the nodes of a model are annotated for (ONNX's multi-device fields, from IR version 11 on).
struct DeviceConfiguration {
  std::string name;
  std::vector<std::string> devices;
};

/// Where one node runs.
struct DevicePlacement {
  std::uint32_t device = 0;  // index into the configuration's devices
  std::uint32_t stage = 0;   // of the pipeline
};

/// Annotates every node of the main graph (`placements` by node slot): each of its outputs lies whole on one device. A
/// configuration of that name from before is replaced, others stay. Raises the IR version to 11, which has these
/// fields.
void annotate_devices(Model& model, const DeviceConfiguration& configuration,
                      std::span<const DevicePlacement> placements);

/// What one configuration of a model says of the main graph's nodes.
struct ConfigurationUse {
  std::string name;
  std::vector<std::string> devices;           // names, which may be fewer than the file counts devices
  std::map<std::int64_t, std::size_t> nodes;  // nodes whose tensors all lie whole on one device, by its index
  std::size_t spread = 0;                     // nodes whose tensors lie on several
};

/// The configurations a model declares, in file order. Throws InputError where the fields are malformed.
std::vector<ConfigurationUse> configurations_of(const Model& model);

}  // namespace hone::onnx
