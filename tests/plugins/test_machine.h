#pragma once

#include <string_view>

namespace hone {

/// A machine of the tests' own, described as users describe theirs.
std::string_view test_machine_text();

}  // namespace hone
