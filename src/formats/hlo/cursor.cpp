#include "formats/hlo/cursor.h"

#include <charconv>

#include "base/error.h"
#include "base/text_location.h"

namespace hone::hlo {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// The bracket that closes `open`; '\0' when it is none.
char closing(char open) { return open == '(' ? ')' : open == '{' ? '}' : open == '[' ? ']' : '\0'; }

/// A character as a message shows it.
std::string shown(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code >= 0x20 && code < 0x7F ? fmt::format("'{}'", c) : fmt::format("byte {:#04x}", code);
}

}  // namespace

void Cursor::fail_at(std::size_t position, const std::string& message) const {
  const TextLocation location = location_in(text_, position);
  fail("{}:{}:{}: {}", file_, location.line, location.column, message);
}

void Cursor::fail_expecting(std::string_view what) {
  const std::string found = at_end() ? "the text ends" : "found " + shown(here());
  fail_at(position_, fmt::format("{}, expected {}", found, what));
}

bool Cursor::skip_comment() {
  const std::string_view rest = text_.substr(position_);
  if (rest.starts_with("//")) {
    const std::size_t end = text_.find('\n', position_);
    position_ = end == std::string_view::npos ? text_.size() : end;
    return true;
  }
  if (!rest.starts_with("/*")) return false;
  const std::size_t end = text_.find("*/", position_ + 2);
  if (end == std::string_view::npos) fail_at(position_, "comment without an end, expected '*/'");
  position_ = end + 2;
  return true;
}

void Cursor::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_space(c)) ++position_;
    else if (c != '/' || !skip_comment()) return;
  }
}

bool Cursor::at_end() {
  skip_space();
  return position_ == text_.size();
}

char Cursor::peek() {
  skip_space();
  return here();
}

bool Cursor::accept(char expected) {
  if (peek() != expected || position_ == text_.size()) return false;
  ++position_;
  return true;
}

bool Cursor::accept_word(std::string_view word) {
  skip_space();
  const std::string_view rest = text_.substr(position_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && is_name_character(rest[word.size()]))) return false;
  position_ += word.size();
  return true;
}

void Cursor::expect(char expected) {
  if (!accept(expected)) fail_expecting(shown(expected));
}

void Cursor::expect_arrow() {
  skip_space();
  if (!text_.substr(position_).starts_with("->")) fail_expecting("'->'");
  position_ += 2;
}

std::string_view Cursor::name(std::string_view what) {
  skip_space();
  if (here() == '%') ++position_;
  const std::size_t begin = position_;
  while (is_name_character(here())) ++position_;
  if (position_ == begin) fail_expecting(what);
  return text_from(begin);
}

std::int64_t Cursor::integer(std::string_view what) {
  skip_space();
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) fail_at(position_, fmt::format("number too large for {}", what));
  if (error != std::errc()) fail_expecting(what);
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

std::string_view Cursor::quoted() {
  const std::size_t begin = position_;
  if (here() != '"') fail_expecting("a quoted string");
  for (++position_; position_ < text_.size(); ++position_) {
    if (text_[position_] == '\\') {
      ++position_;
    } else if (text_[position_] == '"') {
      ++position_;
      return text_from(begin);
    }
  }
  fail_at(begin, "string without an end, expected '\"'");
}

void Cursor::skip_bracketed() {
  const std::size_t begin = position_;
  std::string closers;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '"') {
      quoted();
      continue;
    }
    if (c == '/' && skip_comment()) continue;
    if (const char closer = closing(c)) {
      closers.push_back(closer);
    } else if (c == ')' || c == '}' || c == ']') {
      if (closers.back() != c) fail_expecting(shown(closers.back()));
      closers.pop_back();
    }
    ++position_;
    if (closers.empty()) return;
  }
  fail_at(begin, fmt::format("{} is never closed, expected {}", shown(text_[begin]), shown(closers.back())));
}

std::string_view Cursor::bracketed() {
  skip_space();
  if (closing(here()) == '\0') fail_expecting("an opening bracket");
  const std::size_t begin = position_;
  skip_bracketed();
  return text_from(begin);
}

std::string_view Cursor::value() {
  skip_space();
  const std::size_t begin = position_;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const bool is_comment =
        c == '/' && position_ + 1 < text_.size() && (text_[position_ + 1] == '/' || text_[position_ + 1] == '*');
    if (c == ',' || c == '\n' || c == '\r' || c == ')' || c == '}' || c == ']' || is_comment) break;
    if (c == '"') quoted();
    else if (closing(c) != '\0') skip_bracketed();
    else ++position_;
  }
  std::string_view found = text_from(begin);
  while (!found.empty() && is_space(found.back())) found.remove_suffix(1);
  if (found.empty()) fail_expecting("a value");
  return found;
}

}  // namespace hone::hlo
