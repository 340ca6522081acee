#pragma once

#include <CLI/CLI.hpp>

#include "formats/source/input_sizes.h"
#include "formats/source/model_file.h"

namespace hone {

/// The `--dim batch=8` and `x:1x3x224x224` a verb takes.
class DimOptions : public InputSizes {
 public:
  /// Adds `--dim` and `--shape` to a command; shapes may also follow the model as plain words.
  void add_to(CLI::App& command);
  /// Adds `--dim` alone, for a command whose plain words are models too.
  void add_dims_to(CLI::App& command);

  /// Chooses sizes for what is still open in a model: those of the files given as its inputs, else assumed ones, which
  /// are told on stderr with what they are for.
  void settle(const Model& model, const std::vector<std::string>& input_files, std::string_view purpose = "");
};

}  // namespace hone
