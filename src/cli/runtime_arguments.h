#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "run/runtime/runtime.h"

namespace hone {

/// The `--runtime` a verb takes, and the options that stand for parameters of runtimes.
class RuntimeArguments {
 public:
  /// `unless_given` is what the help text says about the default; `also` names what the verb takes besides runtimes.
  void add_to(CLI::App& command, const std::string& unless_given, const std::string& also = "");

  /// What the user wrote behind `--runtime`; empty when nothing.
  const std::string& spec() const { return spec_; }
  /// Whether the user said anything about the runtime.
  bool given() const;
  /// The runtime named, else the usual one. Throws InputError (usage) for an unknown name or parameter.
  std::shared_ptr<const Runtime> make() const;

 private:
  std::string spec_;
  std::map<std::string_view, std::vector<std::string>> values_;  // by option
};

}  // namespace hone
