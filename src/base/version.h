#pragma once

#include <string_view>

namespace hone {

/// Release of the tool, as in CMakeLists.txt.
std::string_view version();
/// Commit the binary was built from, `unknown` outside a repository; `-dirty` when files differed from it.
std::string_view commit();

}  // namespace hone
