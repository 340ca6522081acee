#pragma once

#include <string>

namespace hone::ort {

/// Installs ONNX Runtime from npm's `onnxruntime-node` (whose scripts are not run) into `install_folder()` and returns
/// the version installed. Throws InputError (backend missing) with one sentence when npm is missing or fails.
std::string install();

}  // namespace hone::ort
