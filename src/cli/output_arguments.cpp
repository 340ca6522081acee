#include "cli/output_arguments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/sentence.h"
#include "base/standard_output.h"

namespace hone {
namespace {

constexpr const char* kForce = "--force";

}  // namespace

void OutputArguments::add_force_to(CLI::App& command) {
  command_ = &command;
  if (command.get_option_no_throw(kForce) == nullptr)
    command.add_flag_function(
        kForce, [](std::int64_t) {}, "Replace inputs and files that hone did not write");
}

void OutputArguments::add_to(CLI::App& command, const FileForm& form, const std::string& meaning,
                             const std::string& option) {
  form_ = form;
  command.add_option(option, name_, meaning)->type_name("FILE");
  add_force_to(command);
}

void OutputArguments::add_folder_to(CLI::App& command, const std::string& meaning) {
  command.add_option(kOption, name_, meaning)->type_name("FOLDER");
  add_force_to(command);
}

Overwrite OutputArguments::overwrite() const { return command_->count(kForce) > 0 ? Overwrite::any : Overwrite::own; }

OutputTarget OutputArguments::target() const { return target(form_); }

OutputTarget OutputArguments::target(const FileForm& form) const {
  if (!given()) return {};
  if (form.extensions.empty()) return OutputTarget::folder(name_, overwrite());
  const CLI::Option* json = command_->get_option_no_throw("--json");
  if (means_standard_output(name_) && json != nullptr && json->count() > 0)
    fail_usage("--json and {} would both write to standard output; give the output a file", form.what);
  return OutputTarget::file(name_, form, overwrite());
}

OutputTarget OutputArguments::target(std::span<const std::string> inputs) const {
  OutputTarget made = target();
  made.keep(std::vector<std::filesystem::path>(inputs.begin(), inputs.end()));
  return made;
}

ExitCode told(const SavedOutput& saved, ExitCode otherwise) {
  if (saved.failure.empty()) return otherwise;
  std::fflush(stdout);  // results come first
  fmt::print(stderr, "hone: {}\n", one_line(saved.failure));
  return ExitCode::internal_error;
}

void enter(const SavedOutput& saved, nlohmann::ordered_json& object) {
  if (!saved.path.empty()) object["output"] = saved.path.string();
  if (!saved.failure.empty())
    object["error"] = {{"code", static_cast<int>(ExitCode::internal_error)}, {"message", saved.failure}};
}

const FileForm& json_form() {
  static const FileForm form{.what = "JSON", .extensions = {".json"}};
  return form;
}

const FileForm& json_lines_form() {
  static const FileForm form{.what = "JSON lines", .extensions = {".jsonl", ".ndjson", ".json"}};
  return form;
}

}  // namespace hone
