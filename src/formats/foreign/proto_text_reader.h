#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

/// Reads protocol buffers in text form from left to right, without their schema: the caller says what it expects and
/// skips the rest. Every complaint is an InputError that begins with `file:line:column`.
class ProtoTextReader {
 public:
  ProtoTextReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Calls `field(key)` for every field of the whole text.
  template <class Field>
  void top(Field field) {
    while (peek() != '\0' || position_ < text_.size()) one_field(field);
  }

  /// Calls `field(key)` for every field of a message in braces; it must read the value or `skip` it.
  template <class Field>
  void message(Field field) {
    accept(':');
    const char close = open();
    while (!accept(close)) one_field(field);
    --depth_;
  }

  std::int64_t integer();
  /// Calls `element(value)` for the number here or each of a list `[1, 2]`.
  template <class Element>
  void integers(Element element) {
    expect(':');
    if (!accept('[')) return element(bare_integer());
    for (bool more = peek() != ']'; more; more = accept(',')) element(bare_integer());
    expect(']');
  }
  std::string string();
  bool truth();
  void skip();

  [[noreturn]] void fail_expecting(std::string_view what);

 private:
  static constexpr int kMaxNesting = 100;

  template <class Field>
  void one_field(Field& field) {
    const std::string_view key = word("the name of a field");
    field(key);
    if (!accept(',')) accept(';');
  }

  char peek();
  bool accept(char c);
  void expect(char c);
  char open();
  std::string_view word(std::string_view what);
  std::int64_t bare_integer();
  void append_quoted(std::string& text);
  void skip_scalar();

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace hone
