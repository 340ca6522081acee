#include <fmt/format.h>

#include "base/fingerprint.h"
#include "base/output_file.h"
#include "cli/examples.h"
#include "cli/output_arguments.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "plan/machine/hardware_description.h"
#include "plan/machine/machine_file.h"
#include "plan/machine/processor.h"
#include "report/json_line.h"
#include "report/table.h"
#include "run/profile/roofline_fit.h"
#include "store/database/record.h"

namespace hone {
namespace {

std::string machines_table() {
  Table table({"machine", "devices", "description"});
  for (const BuiltinMachine& builtin : builtin_machines()) {
    const Machine machine = load_machine(std::string(builtin.name));
    table.add({machine.name, fmt::to_string(machine.device_count()), machine.summary});
  }
  return table.text();
}

Json machines_json() {
  Json rows = Json::array();
  for (const BuiltinMachine& builtin : builtin_machines()) {
    const Machine machine = load_machine(std::string(builtin.name));
    rows.push_back({{"name", machine.name}, {"devices", machine.device_count()}, {"description", machine.summary}});
  }
  return rows;
}

/// Prints a text, or writes it where the user said.
ExitCode deliver(const std::string& text, const OutputTarget& target) {
  if (!target.wanted()) fmt::print("{}", text);
  return told(target.save([&](const std::filesystem::path& path) {
    OutputFile file(path);
    file.write(text);
    file.commit();
  }));
}

/// Operators are timed where the runtime is there; one that the user speaks of has to be.
std::string calibrated(const RuntimeArguments& given) {
  const std::shared_ptr<const Runtime> runtime = given.make();
  return given.given() || runtime->available() ? describe_calibrated_on(*runtime)
                                               : describe_calibrated_without(*runtime);
}

/// What records made on this computer, or for a described machine, are found by.
ExitCode print_fingerprint(const std::string& machine) {
  const Json description = machine.empty() ? describe_hardware() : describe_hardware(load_machine(machine));
  fmt::print("{}", json_line(Json{{"fingerprint", fingerprint_of(description)}, {"hardware", description}}));
  return ExitCode::done;
}

std::function<ExitCode()> setup_hw(CLI::App& command) {
  struct Given {
    std::string name;
    OutputArguments detected, calibrated;
    RuntimeArguments runtime;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  command.require_subcommand(1);
  CLI::App* list = command.add_subcommand("list", "The machines hone knows");
  list->add_flag("--json", given->json, "One JSON array instead of a table");
  CLI::App* show = command.add_subcommand("show", "The description of a machine, as TOML");
  show->add_option("machine", given->name, "A built-in machine or a TOML file")->required();
  CLI::App* detect = command.add_subcommand("detect", "Describe this computer without measuring");
  CLI::App* calibrate = command.add_subcommand("calibrate", "Measure this computer and describe it");
  given->runtime.add_to(*calibrate, fmt::format("{} where it is installed", RuntimeKind::usual().name()));
  const FileForm form{.what = "a machine", .extensions = {".toml"}};
  given->detected.add_to(*detect, form, "TOML file to write");
  given->calibrated.add_to(*calibrate, form, "TOML file to write");
  CLI::App* fingerprint = command.add_subcommand("fingerprint", "What tuning records of this computer are found by");
  fingerprint->add_option("machine", given->name, "A built-in machine or a TOML file instead of this computer");
  add_examples(command, {{"hone hw list", "names for --machine"}, {"hone hw calibrate -o mine.toml", "this computer"}});
  add_examples(*list, {{"hone hw list", "names for --machine"}});
  add_examples(*show, {{"hone hw show p100-4", "as a file to start from"}});
  add_examples(*detect, {{"hone hw detect", "what the system says"}});
  add_examples(*calibrate, {{"hone hw calibrate -o mine.toml", "takes seconds"}});
  add_examples(*fingerprint,
               {{"hone hw fingerprint", "this computer"}, {"hone hw fingerprint p100-4", "a described machine"}});
  return [=] {
    if (fingerprint->parsed()) return print_fingerprint(given->name);
    if (list->parsed()) return deliver(given->json ? json_line(machines_json()) : machines_table(), {});
    if (detect->parsed()) return deliver(describe_detected(), given->detected.target());
    if (calibrate->parsed()) {
      const OutputTarget target = given->calibrated.target();
      return deliver(calibrated(given->runtime), target);
    }
    const std::string text = machine_text(given->name);
    parse_machine(text, given->name);  // refuses what could not be used
    return deliver(text, {});
  };
}

const Verb hw("hw", Topic::plans, "List, show, detect or measure machines", setup_hw);

}  // namespace
}  // namespace hone
