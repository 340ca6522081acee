#pragma once

#include <filesystem>

namespace hone {

/// Bytes of memory that this process could use were it alone: those of the machine, or less where the control group it
/// runs in or a limit of its own (`ulimit -v`) allows less. Files of the system are looked up below `root`.
double usable_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace hone
