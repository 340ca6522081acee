#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hone {

/// A JSON value on one line. Names come from files and need not be UTF-8; what is not becomes U+FFFD.
template <class Json>
std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hone
