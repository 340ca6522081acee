#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// Release of the tool, as in CMakeLists.txt.
std::string_view version();
/// Commit the binary was built from, `unknown` outside a repository; `-dirty` when files differed from it.
std::string_view commit();

/// How the binary was made.
struct BuildDescription {
  std::string type, compiler;
  std::vector<std::string> libraries;  // `fmt 9.1.0`; a name alone where the build was not told the version
};
const BuildDescription& build_description();

}  // namespace hone
