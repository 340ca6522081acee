#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// Code points from `first` to `last`, both included.
struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;
};

bool contains(std::span<const CodePointRange> ranges, char32_t point);
/// Letters, digits and the underscore.
bool is_word(char32_t point);

/// A part of a regular expression.
struct PatternTerm {
  enum class Kind {
    character,
    start_of_text,
    end_of_text,
    word_boundary,
    no_word_boundary,
    sequence,  // all parts, one after the other
    choice,    // one of the parts
    repeat,    // the only part, again and again
  };

  Kind kind = Kind::sequence;
  std::vector<CodePointRange> ranges = {};  // of a character
  bool negated = false;                     // the character must not be in the ranges
  std::vector<PatternTerm> parts = {};
  std::uint32_t least = 0;                 // of a repeat
  std::optional<std::uint32_t> most = {};  // none: without end
};

/// Reads RE2's syntax, without Unicode classes and flags other than leading `i` and `s`. Throws InputError that says
/// what is wrong with, or not supported in, the pattern.
PatternTerm parse_pattern(std::string_view pattern);

/// Code points of a UTF-8 text; bytes that are no UTF-8 stand for themselves.
std::u32string decode_utf8(std::string_view text);

}  // namespace hone
