#pragma once

#include <filesystem>

#include "graph/ir/type.h"
#include "graph/ops/datum.h"

namespace hone::onnx {

/// One input or output of ONNX's `test_data_set_*` folders: a TensorProto, SequenceProto or OptionalProto, told apart
/// by the type of the value it is for.
Datum read_data_file(const std::filesystem::path& path, const Type& type);

}  // namespace hone::onnx
