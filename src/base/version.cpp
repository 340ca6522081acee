#include "base/version.h"

#include "hone_commit.h"

namespace hone {

std::string_view version() { return HONE_VERSION; }
std::string_view commit() { return HONE_COMMIT; }

}  // namespace hone
