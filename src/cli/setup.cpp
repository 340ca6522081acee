#include <fmt/format.h>

#include "cli/verb.h"
#include "run/runtime/runtime.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_setup(CLI::App& command) {
  auto what = std::make_shared<std::string>();
  command.add_option("what", *what, "What to install: onnxruntime")->required();
  return [what] {
    fmt::print("{}\n", RuntimeKind::make_by(*what)->install());
    return ExitCode::done;
  };
}

const Verb install("setup", "Install what hone can use but does not need: ONNX Runtime", setup_setup);

}  // namespace
}  // namespace hone
