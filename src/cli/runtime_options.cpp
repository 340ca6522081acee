#include "cli/runtime_options.h"

#include <fmt/format.h>

namespace hone {

void RuntimeOptions::add_to(CLI::App& command) {
  const std::map<std::string, RuntimeKind> kinds{{"onnxruntime", RuntimeKind::onnxruntime},
                                                 {"reference", RuntimeKind::reference}};
  command
      .add_option("--runtime", kind_,
                  fmt::format("What runs the models: onnxruntime or reference (default: {})",
                              kind_ == RuntimeKind::reference ? "reference" : "onnxruntime"))
      ->transform(CLI::CheckedTransformer(kinds));
  command.add_option("--ort-lib", library_,
                     "File of ONNX Runtime's library; else HONE_ORT_LIB, `hone setup` or the system's");
}

std::map<std::string, ort::OptimizationLevel> optimization_levels() {
  using ort::OptimizationLevel;
  return {{"none", OptimizationLevel::none},
          {"basic", OptimizationLevel::basic},
          {"extended", OptimizationLevel::extended},
          {"layout", OptimizationLevel::layout},
          {"all", OptimizationLevel::all}};
}

}  // namespace hone
