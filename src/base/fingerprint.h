#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hone {

/// Sixteen hexadecimal digits that stand for a description: equal descriptions have equal ones.
std::string fingerprint_of(const nlohmann::ordered_json& description);

}  // namespace hone
