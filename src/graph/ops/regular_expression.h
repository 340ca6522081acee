#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/ops/pattern_syntax.h"

namespace hone {

/// A pattern in RE2's syntax (see parse_pattern) that tells whether a whole text matches it.
///
/// Runs all ways through the pattern at once (Thompson's construction), so no pattern takes more than pattern times
/// text steps. Captures are not kept.
class RegularExpression {
 public:
  /// Throws InputError for a pattern that cannot be used.
  explicit RegularExpression(std::string_view pattern);

  /// Whether the pattern matches all of the text, which is UTF-8.
  bool matches(std::string_view text) const;

  /// One state of the machine the pattern becomes.
  struct State {
    enum class Kind { step, fork, accept };

    Kind kind = Kind::accept;
    PatternTerm term = {};  // of a step: a character, or a condition on the place in the text
    std::uint32_t next = 0;
    std::uint32_t other = 0;  // the second way out of a fork
  };

 private:
  std::vector<State> states_;  // the last one is where the machine starts
};

}  // namespace hone
