#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "cli/common_options.h"
#include "cli/examples.h"
#include "cli/help_text.h"
#include "cli/verb.h"

namespace hone {

CommandLine::CommandLine()
    : app_("Give it an ONNX model and a machine; get a faster model, the plan, and the proof.", "hone") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "Print this and exit");
  app_.set_version_flag("--version", fmt::format("hone {} ({})", version(), commit()), "Print the version and exit");
  app_.require_subcommand(0, 1);
  add_examples(app_, {{"hone optimize model.onnx", "writes model.hone.onnx"},
                      {"hone help optimize", "how a command is used"},
                      {"hone doctor", "what is missing here"}});
  std::vector<const Verb*> verbs = Verb::all();
  std::ranges::stable_sort(verbs, {}, &Verb::topic);
  for (const Verb* verb : verbs) {
    CLI::App* command = app_.add_subcommand(std::string(verb->name()), std::string(verb->summary()));
    command->group(std::string(title_of(verb->topic())));
    actions_.emplace_back(command, verb->setup(*command));
    add_verbosity(*command);
  }
}

std::function<ExitCode()> CommandLine::action() const {
  const auto parsed = std::ranges::find_if(actions_, [](const auto& each) { return each.first->parsed(); });
  return parsed == actions_.end() ? nullptr : parsed->second;
}

}  // namespace hone
