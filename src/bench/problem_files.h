#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace hone {

/// The files below a folder that `wanted` says yes to, sorted. Throws InputError (usage) when there is none; `kind`
/// says in that message what was looked for.
std::vector<std::filesystem::path> problem_files(const std::filesystem::path& folder,
                                                 bool (*wanted)(const std::filesystem::path&), std::string_view kind);

/// Every XLA module below a folder: whatever has `.hlo` in its name.
std::vector<std::filesystem::path> module_files(const std::filesystem::path& folder);

}  // namespace hone
