#pragma once

#include <filesystem>
#include <string>

#include "base/output_target.h"
#include "graph/ir/model.h"

namespace hone {

/// Reads what the user names: `zoo:squeezenet`, a `.onnx` file, or a `.onnxtxt` file in ONNX's text form. Warns on
/// stderr about a name whose contents do not fit; throws InputError otherwise.
Model load_model(const std::string& spec);

/// What `save_model` writes.
const FileForm& model_form();

/// Throws InputError (usage) when writing a model there would replace what it was read from, its weights included, or a
/// file beside the target that does not belong to the model there, unless the target is one that may.
void keep_what_is_read(const OutputTarget& target, const Model& model);

/// Writes a model in the form the file's name asks for: `.onnxtxt` is text, everything else is ONNX.
void save_model(const Model& model, const std::string& path);

/// The file from which a runtime can read the model of this name: its own, or one written to `otherwise`.
std::filesystem::path runtime_file(const std::string& spec, const Model& model, const std::filesystem::path& otherwise);

}  // namespace hone
