#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/described_command.h"

namespace hone {

/// What `--help` prints of a command, as wide as the page.
std::string help_text(const DescribedCommand& command);

/// The one form of all help texts, for the parser.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const override {
    return help_text(describe(*command));
  }
};

}  // namespace hone
