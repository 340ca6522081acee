#include <fmt/format.h>

#include "cli/model_source.h"
#include "cli/verb.h"
#include "ir/print.h"
#include "report/json_line.h"
#include "report/model_summary.h"

namespace hone {
namespace {

std::function<ExitCode()> setup(CLI::App& command) {
  struct Given {
    std::string model;
    DimOptions dims;
    bool json = false, text = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->dims.add_to(command);
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  command.add_flag("--text", given->text, "The model in ONNX's text form, large constants left out");
  return [given] {
    Model model = load_model(given->model);
    const KnownContents known = given->dims.apply(model);
    if (given->text) {
      fmt::print("{}", print(model, PrintDetail::readable));
      return ExitCode::done;
    }
    const auto summary = summarize(model, known);
    fmt::print("{}", given->json ? json_line(summary) : summary_text(summary));
    return ExitCode::done;
  };
}

const Verb inspect("inspect", "What a model is made of and what it costs", setup);

}  // namespace
}  // namespace hone
