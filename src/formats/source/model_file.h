#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/output_target.h"
#include "formats/hlo/module.h"
#include "graph/ir/model.h"

namespace hone {

/// Reads what the user names: `zoo:squeezenet`, an ONNX file, or one in ONNX's text form. Throws InputError for
/// anything else, which says what it is and how to come to a model from it.
Model load_model(const std::string& spec);

/// The HLO module that a file holds, plain or packed; nothing where it holds something else.
std::optional<hlo::Module> load_module(const std::string& spec);

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
