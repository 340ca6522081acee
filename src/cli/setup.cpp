#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/verb.h"
#include "run/runtime/runtime.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_setup(CLI::App& command) {
  auto what = std::make_shared<std::string>();
  command
      .add_option("what", *what, "onnxruntime, to measure with; learn, to train with; or library, for other programs")
      ->required();
  add_examples(command, {{"hone setup onnxruntime", "to measure with"}});
  return [what] {
    if (*what == "learn") fail_usage("what trains is built from the sources: `./hone setup learn` in their folder");
    if (*what == "library") fail_usage("the library is built from the sources: `./hone setup library` in their folder");
    fmt::print("{}\n", RuntimeKind::make_by(*what)->install());
    return ExitCode::done;
  };
}

const Verb install("setup", Topic::tool, "Install what hone can use but does not need", setup_setup);

}  // namespace
}  // namespace hone
