#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// The description of `processors:N`: N identical processors, free transfers, more memory than anything needs. None for
/// a text that does not begin like that; throws InputError (usage) when N is no number of processors a machine can
/// have.
std::optional<std::string> describe_identical_processors(std::string_view spec);

}  // namespace hone
