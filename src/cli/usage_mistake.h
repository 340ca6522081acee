#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hone {

/// What is wrong with a command line and what to do, in one sentence of our own: texts of the option parser are for
/// programmers.
std::string usage_mistake(const CLI::ParseError& error, const CLI::App& app);

}  // namespace hone
