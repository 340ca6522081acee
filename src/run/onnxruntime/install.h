#pragma once

#include <string>

namespace hone::ort {

/// The command that installs ONNX Runtime here: npm comes first where it is missing.
std::string install_command();

/// Installs ONNX Runtime from npm's `onnxruntime-node` (whose scripts are not run) into `install_folder()` and returns
/// the version installed. Throws InputError (backend missing) with one sentence when npm is missing or fails; a
/// registry that is out of reach is given up in seconds.
std::string install();

}  // namespace hone::ort
