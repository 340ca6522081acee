#pragma once

#include <string>

#include "cli/described_command.h"

namespace hone {

/// The manual page of a command, for troff with the `man` macros.
std::string man_page(const DescribedCommand& command);

/// What its file is called: `hone-plan-memory.1`.
std::string man_file(const DescribedCommand& command);

}  // namespace hone
