#include "store/database/record.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

namespace hone {

std::string_view name_of(Progress progress) {
  constexpr std::array<std::string_view, 4> kNames{"waiting", "running", "done", "failed"};
  return kNames[static_cast<std::size_t>(progress)];
}

std::string new_record_id() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  std::random_device random;  // asks the system each time: a forked process must not repeat its parent's ids
  return fmt::format("{:012x}{:08x}{:08x}{:04x}", milliseconds, random(), random(), random() & 0xFFFFU);
}

}  // namespace hone
