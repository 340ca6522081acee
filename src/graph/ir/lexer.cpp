#include "graph/ir/lexer.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace hone {
namespace {

// Not those of <cctype>, which depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

int hexadecimal_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end: return "the end of the text";
    case Token::Kind::string: return fmt::format("the string \"{}\"", token.text.substr(0, 40));
    case Token::Kind::hexadecimal: return fmt::format("'0x{}'", token.text.substr(0, 40));
    default: return fmt::format("'{}'", token.text.substr(0, 40));
  }
}

}  // namespace

TokenStream::TokenStream(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
  current_ = scan();
  following_ = scan();
}

Token TokenStream::next() {
  const Token taken = current_;
  current_ = following_;
  following_ = scan();
  return taken;
}

bool TokenStream::accept(std::string_view symbol) {
  if (!current_.is_symbol(symbol)) return false;
  next();
  return true;
}

void TokenStream::expect(std::string_view symbol) {
  if (!accept(symbol)) fail_expected(fmt::format("'{}'", symbol));
}

std::string_view TokenStream::identifier(std::string_view what) {
  if (current_.kind != Token::Kind::identifier) fail_expected(what);
  return next().text;
}

std::string TokenStream::name(std::string_view what) {
  if (current_.kind == Token::Kind::string) return string(what);
  return std::string(identifier(what));
}

std::string TokenStream::string(std::string_view what) {
  if (current_.kind != Token::Kind::string) fail_expected(what);
  return unescape(next());
}

std::int64_t TokenStream::integer(std::string_view what) {
  if (current_.kind != Token::Kind::integer) fail_expected(what);
  std::int64_t value = 0;
  const std::string_view digits = current_.text;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    fail_expected(fmt::format("{} within 64 bits", what));
  next();
  return value;
}

std::string TokenStream::hexadecimal_bytes(std::string_view what) {
  if (current_.kind != Token::Kind::hexadecimal || current_.text.size() % 2 != 0) fail_expected(what);
  const std::string_view digits = next().text;
  std::string bytes(digits.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(hexadecimal_digit(digits[2 * i]) * 16 + hexadecimal_digit(digits[2 * i + 1]));
  return bytes;
}

void TokenStream::fail_expected(std::string_view what) const {
  fail_at(current_.offset, fmt::format("found {}, expected {}", describe(current_), what));
}

void TokenStream::fail_at(std::size_t offset, const std::string& message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  fail("{}:{}:{}: {}", source_, line, offset - line_start + 1, message);
}

void TokenStream::skip_blanks() {
  while (position_ < text_.size()) {
    if (is_blank(text_[position_])) {
      ++position_;
    } else if (text_[position_] == '#' && text_.substr(position_, 2) != "#:") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

Token TokenStream::scan() {
  skip_blanks();
  const std::size_t start = position_;
  if (start == text_.size()) return {Token::Kind::end, {}, start};
  const char c = text_[start];
  if (is_letter(c)) {
    while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_]))) ++position_;
    return {Token::Kind::identifier, text_.substr(start, position_ - start), start};
  }
  if (c == '"') return scan_string();
  if (is_digit(c) || c == '-') return scan_number();
  const std::string_view pair = text_.substr(start, 2);
  const std::size_t length = pair == "=>" || pair == "#:" ? 2 : 1;
  if (length == 1 && std::string_view("<>()[]{},:=@?.").find(c) == std::string_view::npos)
    fail_at(start, fmt::format("found the character {}, expected a word of the graph language", in_quotes({&c, 1})));
  position_ += length;
  return {Token::Kind::symbol, text_.substr(start, length), start};
}

Token TokenStream::scan_string() {
  const std::size_t start = position_++;
  while (position_ < text_.size() && text_[position_] != '"') position_ += text_[position_] == '\\' ? 2 : 1;
  if (position_ >= text_.size()) fail_at(start, "found a string that does not end, expected a closing '\"'");
  ++position_;
  return {Token::Kind::string, text_.substr(start + 1, position_ - start - 2), start};
}

Token TokenStream::scan_number() {
  const std::size_t start = position_;
  const auto take_while = [&](auto accepted) {
    while (position_ < text_.size() && accepted(text_[position_])) ++position_;
  };
  if (text_.substr(start, 2) == "0x") {
    position_ += 2;
    take_while([](char c) { return hexadecimal_digit(c) >= 0; });
    return {Token::Kind::hexadecimal, text_.substr(start + 2, position_ - start - 2), start};
  }
  if (text_[position_] == '-') ++position_;
  Token::Kind kind = Token::Kind::integer;
  if (position_ < text_.size() && is_letter(text_[position_])) {  // -inf, -nan
    take_while(is_letter);
    kind = Token::Kind::real;
  }
  take_while(is_digit);
  if (position_ < text_.size() && text_[position_] == '.') {
    kind = Token::Kind::real;
    ++position_;
    take_while(is_digit);
  }
  if (position_ < text_.size() && (text_[position_] == 'e' || text_[position_] == 'E')) {
    kind = Token::Kind::real;
    ++position_;
    if (position_ < text_.size() && (text_[position_] == '+' || text_[position_] == '-')) ++position_;
    take_while(is_digit);
  }
  return {kind, text_.substr(start, position_ - start), start};
}

std::string TokenStream::unescape(const Token& token) const {
  std::string plain;
  plain.reserve(token.text.size());
  for (std::size_t i = 0; i < token.text.size(); ++i) {
    if (token.text[i] != '\\') {
      plain += token.text[i];
      continue;
    }
    const char c = token.text[++i];  // a string never ends in a lone backslash
    if (c == '"' || c == '\\') plain += c;
    else if (c == 'n') plain += '\n';
    else if (c == 't') plain += '\t';
    else if (c == 'r') plain += '\r';
    else if (c == 'x' && i + 2 < token.text.size() && hexadecimal_digit(token.text[i + 1]) >= 0 &&
             hexadecimal_digit(token.text[i + 2]) >= 0) {
      plain += static_cast<char>(hexadecimal_digit(token.text[i + 1]) * 16 + hexadecimal_digit(token.text[i + 2]));
      i += 2;
    } else {
      fail_at(token.offset + 1 + i,
              "found an unknown escape, expected \\\", \\\\, \\n, \\t, \\r or \\x with two digits");
    }
  }
  return plain;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') (result += '\\') += c;
    else if (c == '\n') result += "\\n";
    else if (c == '\t') result += "\\t";
    else if (c == '\r') result += "\\r";
    else if ((c >= 0 && c < ' ') || c == 0x7F) result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else result += c;
  }
  return result + "\"";
}

std::string hexadecimal(std::string_view bytes) {
  std::string result = "0x";
  for (const char c : bytes) result += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return result;
}

}  // namespace hone
