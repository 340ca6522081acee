#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::hlo {

/// Reads HLO text from left to right; every complaint names file, line, column, what stands there and what should.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  /// Skips white space and comments.
  void skip_space();
  bool at_end();
  /// The next character after white space; '\0' at the end.
  char peek();
  /// The character right here, white space or not; '\0' at the end.
  char here() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool accept(char expected);
  bool accept_word(std::string_view word);
  void expect(char expected);
  void expect_arrow();

  /// A name of letters, digits, `_`, `.` and `-`, without its leading `%`.
  std::string_view name(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// Text up to the bracket that closes the one here, both brackets included.
  std::string_view bracketed();
  /// Text of an attribute's value: up to a comma, closing bracket, comment or line end outside all brackets and
  /// strings.
  std::string_view value();
  /// A quoted string with its quotes.
  std::string_view quoted();

  std::size_t position() const { return position_; }
  void rewind(std::size_t position) { position_ = position; }
  std::string_view text_from(std::size_t begin) const { return text_.substr(begin, position_ - begin); }

  [[noreturn]] void fail_expecting(std::string_view what);
  [[noreturn]] void fail_at(std::size_t position, const std::string& message) const;

 private:
  bool skip_comment();
  void skip_bracketed();

  std::string_view text_;
  std::string_view file_;
  std::size_t position_ = 0;
};

}  // namespace hone::hlo
