#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/error.h"
#include "base/output_target.h"

namespace hone {

/// An option of a verb that names what to write, `-o` unless another is said, with the `--force` that goes with it.
class OutputArguments {
 public:
  static constexpr const char* kOption = "-o,--output";

  /// Of a file; `meaning` is the help text.
  void add_to(CLI::App& command, const FileForm& form, const std::string& meaning, const std::string& option = kOption);
  /// Of a folder.
  void add_folder_to(CLI::App& command, const std::string& meaning);

  bool given() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  /// What is meant when the user names nothing.
  void set_default(const std::string& name) {
    if (name_.empty()) name_ = name;
  }

  /// Where to write, tried now (see OutputTarget); nothing when nothing was named. Throws InputError (usage) for what
  /// would mix with --json on standard output.
  OutputTarget target() const;
  /// The same, for a form that is known only now.
  OutputTarget target(const FileForm& form) const;
  /// The same for a command that reads these files.
  OutputTarget target(std::span<const std::string> inputs) const;
  /// Whether the user wants anything replaced.
  Overwrite overwrite() const;

 private:
  void add_force_to(CLI::App& command);

  CLI::App* command_ = nullptr;
  FileForm form_;  // without extensions: a folder
  std::string name_;
};

/// Tells why an output is not where it should be, if it is not, and what the command returns to the shell.
ExitCode told(const SavedOutput& saved, ExitCode otherwise = ExitCode::done);

/// Enters where an output lies, and why not where it should, into what a command prints with --json.
void enter(const SavedOutput& saved, nlohmann::ordered_json& object);

/// The kinds of text files that several verbs write.
const FileForm& json_form();
const FileForm& json_lines_form();

}  // namespace hone
