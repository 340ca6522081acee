#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// One word of the text form.
struct Token {
  enum class Kind { end, identifier, string, integer, real, hexadecimal, symbol };

  Kind kind = Kind::end;
  std::string_view text;   // as written; of a string what stands between the quotes, of a hexadecimal the digits
  std::size_t offset = 0;  // of its first character in the text

  bool is(Kind wanted, std::string_view word) const { return kind == wanted && text == word; }
  bool is_symbol(std::string_view word) const { return is(Kind::symbol, word); }
};

/// Text read word by word, with two words of look-ahead. A comment runs from `#` to the end of its line; `#:` is a word
/// of its own and introduces notes, which other readers of ONNX text take for a comment. Every complaint is an
/// InputError that begins with `source:line:column`.
class TokenStream {
 public:
  TokenStream(std::string_view text, std::string source);

  const Token& peek() const { return current_; }
  const Token& peek_second() const { return following_; }
  Token next();

  /// Takes the symbol if it comes next.
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);

  /// A plain identifier.
  std::string_view identifier(std::string_view what);
  /// A name: an identifier or a quoted string.
  std::string name(std::string_view what);
  bool at_name() const { return current_.kind == Token::Kind::identifier || current_.kind == Token::Kind::string; }
  std::string string(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// Bytes written as one hexadecimal number, two digits each.
  std::string hexadecimal_bytes(std::string_view what);

  /// How many characters the next word and all after it have; no literal has more elements.
  std::size_t left() const { return text_.size() - current_.offset; }

  /// Complains that something else comes next.
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

 private:
  Token scan();
  void skip_blanks();
  Token scan_string();
  Token scan_number();
  std::string unescape(const Token& token) const;

  std::string_view text_;
  std::string source_;
  std::size_t position_ = 0;  // just after `following_`
  Token current_, following_;
};

/// True for a letter or underscore followed by letters, digits and underscores.
bool is_identifier(std::string_view text);
/// The text in quotes, with quotes, backslashes and control characters escaped.
std::string in_quotes(std::string_view text);
/// Bytes as `0x` and two digits each.
std::string hexadecimal(std::string_view bytes);

}  // namespace hone
