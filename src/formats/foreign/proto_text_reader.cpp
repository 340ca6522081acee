#include "formats/foreign/proto_text_reader.h"

#include <charconv>

#include "base/error.h"
#include "base/text_location.h"

namespace hone {
namespace {

/// Letters of names, numbers and extension names.
bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '+' || c == '/';
}

}  // namespace

void ProtoTextReader::fail_expecting(std::string_view what) {
  peek();
  const TextLocation location = location_in(text_, position_);
  fail("{}:{}:{}: {}, expected {}", file_, location.line, location.column,
       position_ >= text_.size() ? "the text ends" : "found something else", what);
}

char ProtoTextReader::peek() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') position_ = std::min(text_.find('\n', position_), text_.size());
    else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') ++position_;
    else return c;
  }
  return '\0';
}

bool ProtoTextReader::accept(char c) {
  if (peek() != c || position_ >= text_.size()) return false;
  ++position_;
  return true;
}

void ProtoTextReader::expect(char c) {
  if (!accept(c)) fail_expecting(fmt::format("'{}'", c));
}

char ProtoTextReader::open() {
  const char close = accept('{') ? '}' : accept('<') ? '>' : '\0';
  if (close == '\0') fail_expecting("'{'");
  if (++depth_ > kMaxNesting) fail_expecting(fmt::format("no more than {} nested messages", kMaxNesting));
  return close;
}

std::string_view ProtoTextReader::word(std::string_view what) {
  peek();
  const std::size_t begin = position_;
  while (position_ < text_.size() && is_word_character(text_[position_])) ++position_;
  if (position_ == begin) fail_expecting(what);
  return text_.substr(begin, position_ - begin);
}

std::int64_t ProtoTextReader::bare_integer() {
  peek();
  const std::size_t begin = position_;
  const std::string_view digits = word("a whole number");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  position_ = begin;
  fail_expecting("a whole number");
}

std::int64_t ProtoTextReader::integer() {
  expect(':');
  return bare_integer();
}

void ProtoTextReader::append_quoted(std::string& text) {
  const char quote = text_[position_++];
  while (true) {
    if (position_ >= text_.size()) fail_expecting("the end of a string");
    const char c = text_[position_++];
    if (c == quote) return;
    if (c == '\\' && position_ < text_.size()) text += text_[position_++];
    else text += c;
  }
}

std::string ProtoTextReader::string() {
  expect(':');
  std::string text;
  if (peek() != '"' && peek() != '\'') fail_expecting("a quoted string");
  while (peek() == '"' || peek() == '\'') append_quoted(text);  // neighbours are one string
  return text;
}

bool ProtoTextReader::truth() {
  expect(':');
  const std::string_view value = word("true or false");
  return value == "true" || value == "True" || value == "t" || value == "1";
}

void ProtoTextReader::skip_scalar() {
  if (peek() == '"' || peek() == '\'') {
    std::string ignored;
    while (peek() == '"' || peek() == '\'') append_quoted(ignored);
  } else if (peek() == '{' || peek() == '<') {
    message([this](std::string_view) { skip(); });
  } else {
    word("a value");
  }
}

void ProtoTextReader::skip() {
  accept(':');
  if (!accept('[')) return skip_scalar();
  for (bool more = peek() != ']'; more; more = accept(',')) skip_scalar();
  expect(']');
}

}  // namespace hone
