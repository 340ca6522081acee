#pragma once

#include <filesystem>
#include <string>

#include "graph/ir/model.h"

namespace hone::onnx {

/// Limits of a model file.
struct WriteOptions {
  std::uint64_t inside_limit = (std::uint64_t{1} << 31) - 1;  // bytes, of which protobuf reads no more
};

/// Writes a model, whole or not at all. What was not changed since it was read leaves as it came: order, names, notes,
/// signature, versions and the way each weight is stored. Weights that lie in a file beside the target are referred to
/// and not rewritten; other external weights, and all large ones when the model would pass protobuf's 2 GB, go to
/// `<target>.data`.
void write(const Model& model, const std::filesystem::path& target, const WriteOptions& options = {});

/// The bytes of the model file with all weights inside.
std::string encode(const Model& model);

}  // namespace hone::onnx
