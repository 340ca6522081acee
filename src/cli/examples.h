#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <vector>

namespace hone {

/// A command line that a user might type, and what comes of it in a few words.
struct Example {
  std::string line, purpose;
};

/// Shows examples in a command's help and man page. Tests check that the parser takes them.
void add_examples(CLI::App& command, std::initializer_list<Example> examples);

/// The examples that a command was given.
std::vector<Example> examples_of(const CLI::App& command);

}  // namespace hone
