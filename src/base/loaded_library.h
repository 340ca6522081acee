#pragma once

#include <string_view>

namespace hone {

/// Gives back the memory of the code and constants of shared libraries whose file has such a name: it is loaded again
/// when it is used. For a library of which much is needed once and little afterwards.
void unload_library(std::string_view name);

}  // namespace hone
