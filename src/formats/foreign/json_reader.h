#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

/// Reads JSON from left to right without building a tree, so that a hundred megabytes of numbers take no more memory
/// than their values. Every complaint is an InputError that begins with `file:line:column`.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Calls `field(key)` for each member; it must read the value or `skip` it.
  template <class Field>
  void object(Field field) {
    open('{');
    for (bool more = peek() != '}'; more; more = accept(',')) {
      const std::string key = string();
      expect(':');
      field(std::string_view(key));
    }
    close('}');
  }

  /// Calls `element()` for each element; it must read or `skip` it.
  template <class Element>
  void array(Element element) {
    open('[');
    for (bool more = peek() != ']'; more; more = accept(',')) element();
    close(']');
  }

  double number();
  /// A whole number, also when written as 3.0 or 3e2.
  std::int64_t integer();
  std::string string();
  /// true, false, or a number that is 0 or not.
  bool truth();
  void skip();
  /// Nothing but white space may follow.
  void finish();

  [[noreturn]] void fail_expecting(std::string_view what);

 private:
  static constexpr int kMaxNesting = 256;

  char peek();
  bool accept(char c);
  bool accept_word(std::string_view word);
  void expect(char c);
  void open(char bracket);
  void close(char bracket);
  void append_escaped(std::string& text);

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace hone
