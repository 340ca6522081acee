#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

/// The text after the colon of the first line of a file under /proc or /sys that starts with `key`; empty when there is
/// none.
std::string system_field(const std::filesystem::path& path, std::string_view key);

/// The first line of such a file; empty when it cannot be read.
std::string first_line(const std::filesystem::path& path);

/// The number that a text begins with; 0 when it does not.
double number_or_zero(const std::string& text);

}  // namespace hone
