#pragma once

#include <string>
#include <string_view>

namespace hone {

/// A sentence in lines that fit the terminal, the last ended by a line feed.
std::string fitted(std::string_view sentence);

/// `  parameters   1.24 M (4.94 MB)`, going on below itself where it is long.
std::string fact(std::string_view name, std::string_view text);

}  // namespace hone
