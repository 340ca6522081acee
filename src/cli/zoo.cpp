#include <fmt/format.h>

#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/verb.h"
#include "report/table.h"
#include "zoo/registry.h"

namespace hone {
namespace {

std::string text_of(const zoo::SettingValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::function<ExitCode()> setup_zoo(CLI::App& command) {
  struct Given {
    std::string name, output;
  };
  auto given = std::make_shared<Given>();
  command.add_option("model", given->name, "`list`, or NAME[:key=value,...]")->required();
  command.add_option("-o,--output", given->output, "Where to write the model");
  add_examples(command, {{"hone zoo list", "models and their parameters"},
                         {"hone zoo bert:layers=4 -o bert.onnx", "one of them as a file"}});
  return [given] {
    if (given->name == "list") {
      Table table({"model", "what it is", "parameters"});
      for (const zoo::ZooModel* model : zoo::zoo_models()) {
        std::vector<std::string> parameters;
        for (const auto& parameter : model->parameters)
          parameters.push_back(fmt::format("{}={}", parameter.name, text_of(parameter.fallback)));
        table.add({model->name, model->description, fmt::format("{}", fmt::join(parameters, ","))});
      }
      fmt::print("{}", table.text());
      return ExitCode::done;
    }
    if (given->output.empty()) fail_usage("where to? give -o FILE.onnx");
    save_model(build_zoo(given->name), given->output);
    return ExitCode::done;
  };
}

const Verb zoo_verb("zoo", Topic::models, "Models hone builds by itself", setup_zoo);

}  // namespace
}  // namespace hone
