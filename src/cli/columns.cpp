#include "cli/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal.h"
#include "base/text_layout.h"

namespace hone {

std::size_t page_width() {
  constexpr std::size_t kMost = 120;  // longer lines are hard to read
  return std::min(terminal_columns(), kMost);
}

std::string page_text(std::string_view text) { return paragraph("", text, page_width(), LongWords::whole); }

std::string beside(std::string_view left, std::string_view right, std::size_t column) {
  const std::string begin = fmt::format("  {}", left);
  if (right.empty()) return begin + "\n";
  const bool fits = begin.size() + 2 <= column;
  const std::string prefix = fits ? fmt::format("{:<{}}", begin, column) : std::string(column, ' ');
  return (fits ? "" : begin + "\n") + paragraph(prefix, right, page_width(), LongWords::whole);
}

}  // namespace hone
