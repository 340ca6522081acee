#include "base/data_folder.h"

#include <cstdlib>
#include <string>

namespace hone {

std::filesystem::path data_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return std::filesystem::path(data) / "hone";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "." : home) / ".local" / "share" / "hone";
}

}  // namespace hone
