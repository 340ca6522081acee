#pragma once

#include <cstdint>

#include "graph/ir/model.h"

namespace hone::onnx {

/// Makes a model one of at least this IR version. Models before version 3 may name no opset and mean the first of
/// ONNX's own; that is then written out.
void raise_ir_version(Model& model, std::int64_t version);

}  // namespace hone::onnx
