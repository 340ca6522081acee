#pragma once

#include <string_view>

#include "graph/ir/model.h"
#include "plan/emit/placement.h"
#include "plan/machine/machine.h"

namespace hone {

/// What the plan's set of devices is called in an annotated model.
inline constexpr std::string_view kConfigurationName = "hone";

/// The model with the plan written into it and nothing else changed: ONNX's multi-device fields (see
/// onnx::annotate_devices) with the machine's devices, and for people and tools without these, `hone.device`,
/// `hone.stream` and, for what is an operation, `hone.order` in the metadata of each node. The IR version is 11 or
/// more.
Model annotate(Model model, const Machine& machine, const Placement& placement);

}  // namespace hone
