#pragma once

#include <string>

#include "graph/ir/model.h"

namespace hone {

/// All that the time of a node depends on, as text: operator and version, attributes, types of inputs and outputs (a
/// constant is marked `*`, and small constant integers are spelled out). Nodes with equal texts take equally long.
///
///   Conv@11(float[1,3,224,224],*float[64,3,7,7])->(float[1,64,112,112]) {pads=[3,3,3,3],strides=[2,2]}
std::string node_config(const Model& model, NodeId id);

}  // namespace hone
