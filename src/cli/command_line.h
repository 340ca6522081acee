#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone {

/// The command line of the tool: a command for every verb, and what it does once it was parsed.
class CommandLine {
 public:
  CommandLine();

  CLI::App& app() { return app_; }
  /// What the command does that was parsed; null when none was.
  std::function<ExitCode()> action() const;

 private:
  CLI::App app_;
  std::vector<std::pair<CLI::App*, std::function<ExitCode()>>> actions_;
};

}  // namespace hone
