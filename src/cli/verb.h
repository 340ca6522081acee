#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "base/registered.h"

namespace hone {

/// One command of the tool. Defining one at namespace scope registers it.
class Verb : public Registered<Verb> {
 public:
  static constexpr std::string_view kCalled = "command";
  /// Adds the verb's options to its command and returns what to do once they are parsed.
  using Setup = std::function<std::function<ExitCode()>(CLI::App&)>;

  Verb(std::string_view name, std::string_view summary, Setup setup)
      : name_(name), summary_(summary), setup_(std::move(setup)) {}

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  std::function<ExitCode()> setup(CLI::App& command) const { return setup_(command); }

 private:
  std::string_view name_, summary_;
  Setup setup_;
};

}  // namespace hone
