#pragma once

#include <filesystem>

namespace hone {

/// Folder for what hone keeps for its user: `hone` in $XDG_DATA_HOME, else in ~/.local/share. It need not be there.
std::filesystem::path data_folder();

}  // namespace hone
