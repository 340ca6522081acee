#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hone {

/// `; did you mean 'squeezenet'?` for the candidate nearest to a misspelt name, or nothing when none is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

/// The same, or `, there are a, b, c` where none is near.
std::string suggestion_or_all(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace hone
