#include "cli/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/terminal.h"

namespace hone {

std::size_t page_width() {
  constexpr std::size_t kMost = 120;  // longer lines are hard to read
  return std::min(terminal_columns(), kMost);
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines, line;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line;
}

std::string beside(std::string_view left, std::string_view right, std::size_t column) {
  std::string text = fmt::format("  {}", left);
  if (right.empty()) return text + "\n";
  text += text.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - text.size(), ' ');
  for (const char c : wrapped(right, page_width() - column))
    text += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
  return text + "\n";
}

}  // namespace hone
