#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/ir/model.h"

namespace hone::onnx {

/// Limits of a model file.
struct WriteOptions {
  std::uint64_t inside_limit = (std::uint64_t{1} << 31) - 1;  // bytes, of which protobuf reads no more
};

/// Writes a model, whole or not at all. What was not changed since it was read leaves as it came: order, names, notes,
/// signature, versions and the way each weight is stored. Weights that lie in a file beside the target are referred to
/// and not rewritten; other external weights, and all large ones when the model would pass protobuf's 2 GB, go to
/// `<target>.data`. To a pipe, a device or standard output, beside which nothing can lie, all of it is written; throws
/// InputError when it has no room in one file.
void write(const Model& model, const std::filesystem::path& target, const WriteOptions& options = {});

/// Other files that a model and its target have to do with.
struct FilesBeside {
  std::vector<std::filesystem::path> weights;  // files that weights are read from
  bool needs_data = false;                     // whether `data_file` will be written
};
FilesBeside files_beside(const Model& model, const std::filesystem::path& target, const WriteOptions& options = {});

/// Where weights go that have no room in the target.
std::filesystem::path data_file(const std::filesystem::path& target);

/// The bytes of the model file with all weights inside.
std::string encode(const Model& model);

}  // namespace hone::onnx
