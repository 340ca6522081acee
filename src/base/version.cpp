#include "base/version.h"

#include <sstream>

#include "hone_commit.h"

namespace hone {
namespace {

/// What the build lists, separated by bars.
std::vector<std::string> listed(const char* text) {
  std::vector<std::string> entries;
  std::istringstream stream(text);
  for (std::string entry; std::getline(stream, entry, '|');)
    entries.push_back(entry.substr(0, entry.find_last_not_of(' ') + 1));
  return entries;
}

}  // namespace

std::string_view version() { return HONE_VERSION; }
std::string_view commit() { return HONE_COMMIT; }

const BuildDescription& build_description() {
  static const BuildDescription description {
    .type = HONE_BUILD_TYPE,
#if defined(__clang__)
    .compiler = __VERSION__,
#else
    .compiler = "gcc " __VERSION__,
#endif
    .libraries = listed(HONE_LIBRARIES)
  };
  return description;
}

}  // namespace hone
