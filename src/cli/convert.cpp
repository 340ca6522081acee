#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/verb.h"
#include "graph/clean/clean.h"
#include "graph/ops/freeze.h"

namespace hone {
namespace {

std::function<ExitCode()> setup_convert(CLI::App& command) {
  struct Given {
    std::string model;
    OutputArguments output;
    DimOptions dims;
    bool clean = false, freeze = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->output.add_to(command, model_form(), "Where to write: .onnx, .onnxtxt for text, or - for standard output");
  command.get_option("--output")->required();
  given->dims.add_to(command);
  command.add_flag("--clean", given->clean, "Fold constants, remove identities, duplicates and dead code");
  command.add_flag("--freeze-shapes", given->freeze, "Write the given dimensions into the model's inputs and outputs");
  add_examples(command,
               {{"hone convert model.onnx -o model.onnxtxt", "as text"},
                {"hone convert zoo:bert -o bert.onnx --clean", "cleaned"},
                {"hone convert m.onnx x:1x3x224x224 -o static.onnx --freeze-shapes", "with the shape written in"}});
  return [given] {
    const OutputTarget target = given->output.target();
    Model model = load_model(given->model);
    keep_what_is_read(target, model);
    if (!given->dims.empty() && !given->freeze)
      fail_usage("dimensions change the written model only with --freeze-shapes");
    if (given->freeze) {
      given->dims.apply(model);
      freeze_signature(model);
    }
    if (given->clean) clean(model);
    return told(target.save([&](const std::filesystem::path& path) { save_model(model, path); }));
  };
}

const Verb convert("convert", Topic::models, "Read a model and write it again, in another form if wanted",
                   setup_convert);

}  // namespace
}  // namespace hone
