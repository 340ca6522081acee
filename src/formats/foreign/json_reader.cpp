#include "formats/foreign/json_reader.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text_location.h"

namespace hone {

void JsonReader::fail_expecting(std::string_view what) {
  const bool at_end = peek() == '\0' && position_ >= text_.size();
  const TextLocation location = location_in(text_, position_);
  fail("{}:{}:{}: {}, expected {}", file_, location.line, location.column,
       at_end ? "the text ends" : "found something else", what);
}

char JsonReader::peek() {
  while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
    ++position_;
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool JsonReader::accept(char c) {
  if (peek() != c || position_ >= text_.size()) return false;
  ++position_;
  return true;
}

bool JsonReader::accept_word(std::string_view word) {
  peek();
  if (!text_.substr(position_).starts_with(word)) return false;
  position_ += word.size();
  return true;
}

void JsonReader::expect(char c) {
  if (!accept(c)) fail_expecting(fmt::format("'{}'", c));
}

void JsonReader::open(char bracket) {
  expect(bracket);
  if (++depth_ > kMaxNesting) fail_expecting(fmt::format("no more than {} nested brackets", kMaxNesting));
}

void JsonReader::close(char bracket) {
  expect(bracket);
  --depth_;
}

double JsonReader::number() {
  peek();
  double value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc() || !std::isfinite(value)) fail_expecting("a finite number");
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

std::int64_t JsonReader::integer() {
  peek();
  std::int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  const char next = end < text_.data() + text_.size() ? *end : '\0';
  if (error == std::errc() && next != '.' && next != 'e' && next != 'E') {
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  const std::size_t start = position_;
  const double real = number();
  if (real == std::floor(real) && std::abs(real) < 0x1.0p62) return static_cast<std::int64_t>(real);
  position_ = start;
  fail_expecting("a whole number");
}

void JsonReader::append_escaped(std::string& text) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (position_ >= text_.size()) fail_expecting("the rest of a string");
  const char name = text_[position_++];
  if (const std::size_t at = kNames.find(name); at != std::string_view::npos) {
    text += kMeanings[at];
    return;
  }
  // Names of graph nodes are all this is used for; characters beyond ASCII stay as they are written.
  if (name != 'u') fail_expecting("a known escape");
  text += "\\u";
}

std::string JsonReader::string() {
  expect('"');
  std::string text;
  while (true) {
    if (position_ >= text_.size()) fail_expecting("the end of a string");
    const char c = text_[position_++];
    if (c == '"') return text;
    if (c == '\\') append_escaped(text);
    else text += c;
  }
}

bool JsonReader::truth() {
  if (accept_word("true")) return true;
  if (accept_word("false")) return false;
  return number() != 0;
}

void JsonReader::skip() {
  switch (peek()) {
    case '{': return object([this](std::string_view) { skip(); });
    case '[': return array([this] { skip(); });
    case '"': string(); return;
    default:
      if (!accept_word("null")) truth();
  }
}

void JsonReader::finish() {
  if (peek() != '\0' || position_ < text_.size()) fail_expecting("the end of the text");
}

}  // namespace hone
