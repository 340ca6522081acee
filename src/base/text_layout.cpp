#include "base/text_layout.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the first so many columns of a text.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!continues_character(text[at]) && columns-- == 0) break;
  return at;
}

/// Where to cut a word that is longer than a line: behind the last punctuation in its second half, else at the end of
/// the line.
std::size_t cut_within(std::string_view word, std::size_t columns) {
  const std::size_t most = bytes_of(word, columns);
  const std::size_t behind = word.substr(0, most).find_last_of("-_/.,;:+|=)");
  return behind == std::string_view::npos || behind < most / 2 ? most : behind + 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string shortened(std::string_view text, std::size_t columns) {
  const std::size_t have = columns_of(text);
  if (have <= columns) return std::string(text);
  if (columns < 2) return std::string(text.substr(0, bytes_of(text, columns)));
  const std::size_t head = columns / 2, tail = columns - 1 - head;
  return std::string(text.substr(0, bytes_of(text, head))) + "…" +
         std::string(text.substr(bytes_of(text, have - tail)));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns, LongWords words) {
  columns = std::max<std::size_t>(columns, 1);
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) lines.push_back(std::exchange(line, {}));
    while (words == LongWords::broken && columns_of(word) > columns) {
      const std::size_t cut = cut_within(word, columns);
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string paragraph(std::string_view prefix, std::string_view text, std::size_t columns, LongWords words) {
  const std::size_t indent = columns_of(prefix);
  std::string out;
  for (const std::string& line : wrapped(text, columns - std::min(indent, columns), words))
    out += (out.empty() ? std::string(prefix) : std::string(indent, ' ')) + line + "\n";
  return out;
}

}  // namespace hone
