#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// The file that a shell would run under this name, if there is one in $PATH.
std::optional<std::filesystem::path> find_program(std::string_view name);

/// How a program ended.
struct ProgramEnd {
  int status = 0;         // its exit status; not 0 when a signal ended it
  bool ran_over = false;  // it was killed, with all it had started, as it took too long
};

/// Runs a program, the first of the words, in a folder, without its input and output. Ctrl-C ends it too.
ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       double limit_seconds = std::numeric_limits<double>::infinity());

}  // namespace hone
