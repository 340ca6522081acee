#pragma once

#include <string>
#include <vector>

#include "cli/described_command.h"

namespace hone {

/// The tool and all its commands, from any of them.
DescribedCommand describe_tool(const CLI::App& command);

/// The command that words name, one below the other; the tool itself for none. Throws InputError (usage), with the
/// nearest name or all there are, for one that is not there.
const DescribedCommand& find_command(const DescribedCommand& tool, const std::vector<std::string>& words);

}  // namespace hone
