#pragma once

#include <string>

#include "cli/described_command.h"

namespace hone {

/// Scripts that make a shell complete commands, options, and the names and files that can be their values. Everything
/// is in the script: nothing is run when the user presses the key.
std::string bash_completion(const DescribedCommand& tool);
std::string zsh_completion(const DescribedCommand& tool);
std::string fish_completion(const DescribedCommand& tool);

/// `/plan/memory`, how the scripts call a command; empty for the tool itself.
std::string script_path(const DescribedCommand& command);

/// What can stand where a command takes a plain word, all its places together.
struct PlainWords {
  std::vector<std::string> choices;
  NamedPath path = NamedPath::none;
};
PlainWords plain_words(const DescribedCommand& command);

}  // namespace hone
