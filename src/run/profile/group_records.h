#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/profile/operator_timing.h"
#include "run/runtime/runtime.h"

namespace hone {

/// The conditions under which times of groups hold: a runtime that is part of hone is another one with every commit.
ProfileContext group_conditions(const Runtime& runtime, std::size_t threads);

/// How a store names the timing of a group, by what it is (see GroupContent) and the operators in it.
std::string group_config(std::uint64_t key, const std::string& operators);
/// The number in the name of a record; nothing for a record of something else.
std::optional<std::uint64_t> group_key_in(std::string_view config);

}  // namespace hone
