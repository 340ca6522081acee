#pragma once

#include <cstddef>
#include <string_view>

namespace hone {

/// Where a character stands in a text, counted from 1.
struct TextLocation {
  std::size_t line = 1;
  std::size_t column = 1;
};

TextLocation location_in(std::string_view text, std::size_t offset);

}  // namespace hone
