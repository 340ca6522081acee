#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "formats/onnx/device_configuration.h"
#include "graph/ir/print.h"
#include "report/json_line.h"
#include "report/model_summary.h"
#include "report/module_summary.h"

namespace hone {
namespace {

struct InspectArguments {
  std::string model;
  DimOptions dims;
  bool json = false, text = false;
};

std::vector<PlacementSummary> placements_of(const Model& model) {
  std::vector<PlacementSummary> list;
  for (const onnx::ConfigurationUse& use : onnx::configurations_of(model)) {
    PlacementSummary& placement = list.emplace_back();
    placement.configuration = use.name;
    placement.nodes_on_several = use.spread;
    for (const auto& [device, count] : use.nodes) {
      const bool has_name = device >= 0 && static_cast<std::size_t>(device) < use.devices.size();
      placement.nodes.emplace_back(has_name ? use.devices[static_cast<std::size_t>(device)] : fmt::to_string(device),
                                   count);
    }
  }
  return list;
}

void inspect_module(const hlo::Module& module, const InspectArguments& given) {
  if (!given.dims.empty()) fail_usage("only ONNX models have dimensions to fix, '{}' is an HLO module", given.model);
  if (given.text) return fmt::print("{}", module.text);
  const ModuleSummary summary = summarize(module);
  fmt::print("{}", given.json ? json_line(summary_json(summary)) : summary_text(summary));
}

void inspect_model(Model model, const InspectArguments& given) {
  const KnownContents known = given.dims.apply(model);
  if (given.text) return fmt::print("{}", print(model, PrintDetail::readable));
  const ModelSummary summary = summarize(model, known);
  const std::vector<PlacementSummary> placements = placements_of(model);
  fmt::print("{}", given.json ? json_line(summary_json(summary, placements)) : summary_text(summary, placements));
}

std::function<ExitCode()> setup_inspect(CLI::App& command) {
  auto given = std::make_shared<InspectArguments>();
  command.add_option("model", given->model, "Model file, zoo:NAME or HLO module")->required();
  given->dims.add_to(command);
  command.add_flag("--json", given->json, "One JSON object instead of tables");
  command.add_flag("--text", given->text,
                   "The model in ONNX's text form, large constants left out; an HLO module as it is");
  add_examples(command, {{"hone inspect model.onnx", "operators, parameters, flops"},
                         {"hone inspect model.onnx --dim batch=8 --json", "for a program"},
                         {"hone inspect zoo:squeezenet --text", "as text"}});
  return [given] {
    if (const std::optional<hlo::Module> module = load_module(given->model)) inspect_module(*module, *given);
    else inspect_model(load_model(given->model), *given);
    return ExitCode::done;
  };
}

const Verb inspect("inspect", Topic::models, "What a model is made of and what it costs", setup_inspect);

}  // namespace
}  // namespace hone
