#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "run/measure/measurement.h"

namespace hone {

/// The `--runtime` and `--ort-lib` a verb takes.
class RuntimeOptions {
 public:
  explicit RuntimeOptions(RuntimeKind unless_given = RuntimeKind::onnxruntime) : kind_(unless_given) {}
  void add_to(CLI::App& command);
  RuntimeKind kind() const { return kind_; }
  /// File of ONNX Runtime; empty when it is to be found.
  const std::string& library() const { return library_; }

 private:
  RuntimeKind kind_;
  std::string library_;
};

/// Words for ONNX Runtime's levels.
std::map<std::string, ort::OptimizationLevel> optimization_levels();

}  // namespace hone
