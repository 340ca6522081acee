#include "base/sentence.h"

namespace hone {

std::string one_line(std::string_view message) {
  constexpr std::size_t kMaxLength = 1000;
  std::string line(message);
  if (line.size() > kMaxLength) {
    std::size_t end = kMaxLength;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
    line.replace(end, std::string::npos, "...");
  }
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = ' ';
  return line;
}

}  // namespace hone
