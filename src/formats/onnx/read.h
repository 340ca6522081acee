#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "graph/ir/model.h"

namespace hone::onnx {

/// Reads an ONNX model. The file is mapped, not loaded: weights stay in it and are fetched when used. Throws
/// InputError, one sentence that begins with the file's name.
Model read(const std::filesystem::path& path);

/// Reads a model from memory that `owner` keeps alive. External weights are looked for in `folder`.
Model read(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
           const std::filesystem::path& folder);

}  // namespace hone::onnx
