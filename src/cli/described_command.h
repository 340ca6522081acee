#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/examples.h"
#include "cli/value_kinds.h"

namespace hone {

/// An option or a plain word that a command takes.
struct DescribedOption {
  std::vector<std::string> names;    // `-o`, `--output`; the only name of a plain word is as it is declared
  std::string value;                 // what help calls its value, `FILE`; empty for a flag
  std::string text;                  // what it means, with its default
  std::vector<std::string> choices;  // names there are to choose from
  NamedPath path = NamedPath::none;
  bool required = false, repeated = false;
};

/// A command as it was declared: what help, man pages and completion are made of.
struct DescribedCommand {
  std::string path;  // `plan memory`; empty for the tool itself
  std::string summary, group;
  std::vector<DescribedOption> words, options;  // plain words, then what begins with a dash
  std::vector<DescribedCommand> commands;
  std::vector<Example> examples;

  /// `hone plan memory`.
  std::string title() const { return path.empty() ? "hone" : "hone " + path; }
};

/// Describes a command and those below it.
DescribedCommand describe(const CLI::App& command);

/// How a command line is written: `hone plan [OPTIONS] [MODEL] [SHAPE...]`.
std::string usage_of(const DescribedCommand& command);

/// The command itself and all below it, each after the one it belongs to.
std::vector<const DescribedCommand*> all_commands(const DescribedCommand& command);

}  // namespace hone
