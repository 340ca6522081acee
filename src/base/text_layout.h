#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// Characters on screen, which is not bytes for text in UTF-8.
std::size_t columns_of(std::string_view text);

/// A text of at most so many columns: what is longer loses its middle to an ellipsis, as names differ at their ends.
std::string shortened(std::string_view text, std::size_t columns);

/// What becomes of words that are longer than a line: broken behind punctuation where there is some, or left whole, as
/// commands and paths that are typed again must be.
enum class LongWords { broken, whole };

/// The lines of a text broken between words.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, LongWords words = LongWords::broken);

/// A text in lines of at most so many columns, each ended by a line feed; the first has the prefix, the others as many
/// spaces.
std::string paragraph(std::string_view prefix, std::string_view text, std::size_t columns,
                      LongWords words = LongWords::broken);

}  // namespace hone
