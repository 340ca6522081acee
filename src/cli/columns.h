#pragma once

#include <string>
#include <string_view>

namespace hone {

/// Columns that text for people may take: the terminal's, or 80.
std::size_t page_width();

/// Words of a text in lines of at most so many characters; a word that is longer has a line of its own.
std::string wrapped(std::string_view text, std::size_t width);

/// Two columns of a page: `left` after two spaces, and from `column` on what is said of it, in as many lines as it
/// takes. A left side that reaches into the right column has a line of its own.
std::string beside(std::string_view left, std::string_view right, std::size_t column);

}  // namespace hone
