#include "base/fingerprint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace hone {

std::string fingerprint_of(const nlohmann::ordered_json& description) {
  const std::string text = description.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return fmt::format("{:016x}", hash_text(text));
}

}  // namespace hone
