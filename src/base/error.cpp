#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace hone {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  fmt::print(stderr, "{}:{}: check failed: {}{}{}\n", file, line, condition, message.empty() ? "" : ": ", message);
  std::abort();
}

}  // namespace hone
