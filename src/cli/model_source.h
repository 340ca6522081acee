#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/infer.h"

namespace hone {

/// Reads what the user names: `zoo:squeezenet`, a `.onnx` file, or a `.onnxtxt` file in ONNX's text form. Warns on
/// stderr about a name whose contents do not fit; throws InputError otherwise.
Model load_model(const std::string& spec);

/// Writes a model in the form the file's name asks for: `.onnxtxt` is text, everything else is ONNX.
void save_model(const Model& model, const std::string& path);

/// The file from which a runtime can read the model of this name: its own, or one written to `otherwise`.
std::filesystem::path runtime_file(const std::string& spec, const Model& model, const std::filesystem::path& otherwise);

/// The `--dim batch=8` and `x:1x3x224x224` a verb takes.
class DimOptions {
 public:
  /// Adds `--dim` and `--shape` to a command; shapes may also follow the model as plain words.
  void add_to(CLI::App& command);
  /// Adds `--dim` alone, for a command whose plain words are models too.
  void add_dims_to(CLI::App& command);
  /// Takes one more `x:1x3x224x224`.
  void add_shape(std::string text) { shapes_.push_back(std::move(text)); }
  /// Fixes the dims in the model and infers all types. Throws InputError (usage) for what does not fit.
  KnownContents apply(Model& model) const;
  /// Gives every input that still has dynamic dims a likely shape: one of a batch, images of 224, sequences of 16.
  /// Returns these shapes as they would be typed, for the user to see.
  std::string assume(const Model& model);
  bool empty() const { return dims_.empty() && shapes_.empty(); }

 private:
  std::vector<std::string> dims_, shapes_;
};

/// `x:1x3x224x224` or `x:1,3,224,224`.
std::pair<std::string, Shape> parse_shape(const std::string& text);

}  // namespace hone
