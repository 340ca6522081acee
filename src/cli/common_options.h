#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "base/error.h"

namespace hone {

/// Adds `--quiet` and `--verbose` to a command and all below it.
void add_verbosity(CLI::App& command);

/// A sentence when a word is an option of an older hone that has another name in the command now; empty when none is.
std::string renamed_option(const CLI::App& app, std::span<char* const> words);

/// What the process returns to the shell: the code itself or, of what was interrupted, 128 and the signal, as shells
/// do.
int exit_status(ExitCode code);

}  // namespace hone
