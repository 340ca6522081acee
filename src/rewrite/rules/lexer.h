#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

/// One word of the rule language.
struct RuleToken {
  enum class Kind { end, name, number, text, symbol };

  Kind kind = Kind::end;
  std::string_view text;   // of a text what stands between the quotes
  std::size_t offset = 0;  // of its first character
};

/// The words of a rule file one by one. A comment runs from `#` to the end of its line. Every complaint is an
/// InputError that begins with `source:line:column`.
class RuleLexer {
 public:
  RuleLexer(std::string_view text, std::string source);

  const RuleToken& peek() const { return current_; }
  RuleToken next();
  bool at(std::string_view word) const;
  /// Takes the word if it comes next.
  bool accept(std::string_view word);
  void expect(std::string_view word);
  std::string name(std::string_view what);
  /// What was written between two offsets.
  std::string_view written(std::size_t first, std::size_t last) const { return text_.substr(first, last - first); }

  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_at(std::size_t offset, std::string_view message) const;

 private:
  RuleToken scan();

  std::string_view text_;
  std::string source_;
  std::size_t position_ = 0;
  RuleToken current_;
};

}  // namespace hone
