#include <fmt/format.h>

#include "cli/verb.h"
#include "run/onnxruntime/install.h"
#include "run/onnxruntime/library.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_setup(CLI::App& command) {
  auto what = std::make_shared<std::string>();
  command.add_option("what", *what, "What to install: onnxruntime")->required();
  return [what] {
    if (*what != "onnxruntime") fail_usage("hone can set up 'onnxruntime', not '{}'", *what);
    const std::string version = ort::install();
    fmt::print("ONNX Runtime {} is in {}\n", version, ort::install_folder().string());
    return ExitCode::done;
  };
}

const Verb install("setup", "Install what hone can use but does not need: ONNX Runtime", setup_setup);

}  // namespace
}  // namespace hone
