#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "formats/onnx/device_configuration.h"
#include "graph/ir/print.h"
#include "report/json_line.h"
#include "report/model_summary.h"

namespace hone {
namespace {

/// How many nodes the configurations that a model was annotated with place on which device.
nlohmann::ordered_json placements_json(const Model& model) {
  auto list = nlohmann::ordered_json::array();
  for (const onnx::ConfigurationUse& use : onnx::configurations_of(model)) {
    auto nodes = nlohmann::ordered_json::object();
    for (const auto& [device, count] : use.nodes) {
      const bool has_name = device >= 0 && static_cast<std::size_t>(device) < use.devices.size();
      nodes[has_name ? use.devices[static_cast<std::size_t>(device)] : fmt::to_string(device)] = count;
    }
    list.push_back({{"configuration", use.name}, {"nodes", nodes}, {"nodes_on_several", use.spread}});
  }
  return list;
}

std::function<ExitCode()> setup_inspect(CLI::App& command) {
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
  add_examples(command, {{"hone inspect model.onnx", "operators, parameters, flops"},
                         {"hone inspect model.onnx --dim batch=8 --json", "for a program"},
                         {"hone inspect zoo:squeezenet --text", "as text"}});
  return [given] {
    Model model = load_model(given->model);
    const KnownContents known = given->dims.apply(model);
    if (given->text) {
      fmt::print("{}", print(model, PrintDetail::readable));
      return ExitCode::done;
    }
    auto summary = summarize(model, known);
    summary["placements"] = placements_json(model);
    fmt::print("{}", given->json ? json_line(summary) : summary_text(summary));
    return ExitCode::done;
  };
}

const Verb inspect("inspect", Topic::models, "What a model is made of and what it costs", setup_inspect);

}  // namespace
}  // namespace hone
