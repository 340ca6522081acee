#include "base/text_location.h"

#include <algorithm>

namespace hone {

TextLocation location_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  return {.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
          .column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1};
}

}  // namespace hone
