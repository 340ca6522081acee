#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

/// Reads a text word by word, words being apart by white space; `#` starts a comment that runs to the end of the line.
/// Every complaint is an InputError that begins with `file:line:column`.
class WordReader {
 public:
  WordReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool at_end();
  std::string_view word(std::string_view what);
  /// A whole number between `low` and `high`, both included.
  std::int64_t integer(std::string_view what, std::int64_t low, std::int64_t high);
  /// A finite number of at least 0.
  double amount(std::string_view what);

  /// Complains about the word last read.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  std::size_t last_ = 0;  // where the word last read begins
};

/// A number written in all of `text`; fails with `where: what` otherwise.
double parse_amount(std::string_view text, std::string_view where, std::string_view what);
std::int64_t parse_integer(std::string_view text, std::string_view where, std::string_view what);

}  // namespace hone
