#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/verb.h"
#include "report/json_line.h"
#include "report/table.h"
#include "zoo/registry.h"

namespace hone {
namespace {

std::string text_of(const zoo::SettingValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::function<ExitCode()> setup_zoo(CLI::App& command) {
  struct Given {
    std::string name;
    OutputArguments output;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.add_option("model", given->name, "`list`, or NAME[:key=value,...]")->required();
  given->output.add_to(command, model_form(), "Where to write the model; - is standard output");
  command.add_flag("--json", given->json, "With `list`: one JSON array instead of a table");
  add_examples(command, {{"hone zoo list", "models and their parameters"},
                         {"hone zoo bert:layers=4 -o bert.onnx", "one of them as a file"}});
  return [given] {
    if (given->name == "list") {
      Table table({"model", "what it is", "parameters"});
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      for (const zoo::ZooModel* model : zoo::zoo_models()) {
        std::vector<std::string> parameters;
        for (const auto& parameter : model->parameters)
          parameters.push_back(fmt::format("{}={}", parameter.name, text_of(parameter.fallback)));
        table.add({model->name, model->description, fmt::format("{}", fmt::join(parameters, ","))});
        rows.push_back({{"name", model->name}, {"description", model->description}, {"parameters", parameters}});
      }
      fmt::print("{}", given->json ? json_line(rows) : table.text());
      return ExitCode::done;
    }
    if (!given->output.given()) fail_usage("where to? give -o FILE.onnx");
    const OutputTarget target = given->output.target();
    const Model model = build_zoo(given->name);
    keep_what_is_read(target, model);
    return told(target.save([&](const std::filesystem::path& path) { save_model(model, path); }));
  };
}

const Verb zoo_verb("zoo", Topic::models, "Models hone builds by itself", setup_zoo);

}  // namespace
}  // namespace hone
