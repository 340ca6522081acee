#include "graph/ops/pattern_syntax.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

using Range = CodePointRange;
using Term = PatternTerm;

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    char32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    bool whole = i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      whole = (byte & 0xC0) == 0x80;
      point = (point << 6) | (byte & 0x3F);
    }
    points.push_back(whole ? point : lead);
    i += whole ? length : 1;
  }
  return points;
}

bool contains(std::span<const CodePointRange> ranges, char32_t point) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return range.first <= point && point <= range.last; });
}

namespace {

constexpr int kMostNested = 200;
constexpr std::uint32_t kMaxRepeat = 1000;  // RE2's own limit
constexpr char32_t kLastPoint = 0x10FFFF;

const std::vector<Range> kDigits = {{'0', '9'}};
const std::vector<Range> kWord = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const std::vector<Range> kSpace = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};

/// `[:alpha:]` and its kin.
struct NamedClass {
  std::string_view name;
  std::vector<Range> ranges;
};
const std::vector<NamedClass> kNamedClasses = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"digit", kDigits},
    {"lower", {{'a', 'z'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", kWord},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

/// The ranges that are not among the given ones.
std::vector<Range> complement(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> rest;
  char32_t next = 0;
  for (const Range& range : ranges) {
    if (range.first > next) rest.push_back({next, range.first - 1});
    next = std::max<char32_t>(next, range.last + 1);
  }
  if (next <= kLastPoint) rest.push_back({next, kLastPoint});
  return rest;
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : source_(pattern), text_(decode_utf8(pattern)) {}

  Term parse() {
    leading_flags();
    Term whole = choice(0);
    if (!at_end()) refuse("an unmatched )");
    return whole;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const { fail("regular expression '{}' has {}", source_, what); }

  bool at_end() const { return position_ == text_.size(); }
  char32_t peek() const { return at_end() ? U'\0' : text_[position_]; }
  bool starts_with(std::u32string_view prefix) const {
    return std::u32string_view(text_).substr(position_).starts_with(prefix);
  }
  bool take(std::u32string_view prefix) {
    if (!starts_with(prefix)) return false;
    position_ += prefix.size();
    return true;
  }
  char32_t next() {
    if (at_end()) refuse("no end");
    return text_[position_++];
  }

  void leading_flags() {
    if (!starts_with(U"(?i") && !starts_with(U"(?s")) return;
    position_ += 2;
    while (peek() != U')') {
      const char32_t flag = next();
      if (flag == U'i') folds_case_ = true;
      else if (flag == U's') dot_is_all_ = true;
      else refuse("a flag that is not supported");
    }
    ++position_;
  }

  Term choice(int depth) {
    if (depth > kMostNested) refuse("too many nested groups");
    Term result{.kind = Term::Kind::choice};
    do result.parts.push_back(sequence(depth));
    while (take(U"|"));
    return result;
  }

  Term sequence(int depth) {
    Term result{.kind = Term::Kind::sequence};
    while (!at_end() && peek() != U'|' && peek() != U')') result.parts.push_back(repeated(depth));
    return result;
  }

  Term repeated(int depth) {
    Term term = atom(depth);
    while (true) {
      Term repeat{.kind = Term::Kind::repeat};
      if (take(U"*")) repeat.least = 0;
      else if (take(U"+")) repeat.least = 1;
      else if (take(U"?")) repeat.most = 1;
      else if (!counted(repeat)) return term;
      take(U"?");  // lazy or greedy: the same whole texts match
      repeat.parts.push_back(std::move(term));
      term = std::move(repeat);
      if (++repeats_ > kMaxRepeat) refuse("too many repetitions");
    }
  }

  /// {n}, {n,} or {n,m}; anything else with a brace is the brace itself, as in RE2.
  bool counted(Term& repeat) {
    const std::size_t start = position_;
    if (!take(U"{")) return false;
    const std::optional<std::uint32_t> least = number();
    if (least && take(U"}")) {
      repeat.least = *least;
      repeat.most = *least;
      return true;
    }
    if (least && take(U",")) {
      repeat.least = *least;
      repeat.most = number();
      if (repeat.most.value_or(repeat.least) < repeat.least) refuse("a repetition with its limits swapped");
      if (take(U"}")) return true;
    }
    position_ = start;
    return false;
  }

  std::optional<std::uint32_t> number() {
    std::optional<std::uint32_t> value;
    while (contains(kDigits, peek())) {
      value = value.value_or(0) * 10 + static_cast<std::uint32_t>(next() - U'0');
      if (*value > kMaxRepeat) refuse("a repetition count over 1000");
    }
    return value;
  }

  Term atom(int depth) {
    const char32_t point = next();
    switch (point) {
      case U'(': return group(depth);
      case U'[': return character_class();
      case U'.': return dot_is_all_ ? ranges({{0, kLastPoint}}) : ranges(complement({{'\n', '\n'}}));
      case U'^': return condition(Term::Kind::start_of_text);
      case U'$': return condition(Term::Kind::end_of_text);
      case U'\\': return escape();
      case U'*':
      case U'+':
      case U'?': refuse("a repetition of nothing");
      default: return ranges({{point, point}});
    }
  }

  Term group(int depth) {
    if (take(U"?")) {
      const bool named = take(U"P<") || (starts_with(U"<") && !starts_with(U"<=") && !starts_with(U"<!") && take(U"<"));
      if (named) {
        while (peek() != U'>') next();
        ++position_;
      } else if (!take(U":")) {
        refuse("a group with (? that is not supported");
      }
    }
    Term inside = choice(depth + 1);
    if (next() != U')') refuse("an unmatched (");
    return inside;
  }

  static Term condition(Term::Kind kind) { return {.kind = kind}; }

  Term ranges(std::vector<Range> given) const {
    if (folds_case_) fold_case(given);
    return {.kind = Term::Kind::character, .ranges = std::move(given)};
  }

  /// Adds the other case of the ASCII letters in the ranges.
  static void fold_case(std::vector<Range>& given) {
    for (char32_t lower = U'a'; lower <= U'z'; ++lower) {
      const char32_t upper = lower - U'a' + U'A';
      if (contains(given, lower) == contains(given, upper)) continue;
      const char32_t missing = contains(given, lower) ? upper : lower;
      given.push_back({missing, missing});
    }
  }

  Term escape() {
    if (take(U"b")) return condition(Term::Kind::word_boundary);
    if (take(U"B")) return condition(Term::Kind::no_word_boundary);
    if (take(U"A")) return condition(Term::Kind::start_of_text);
    if (take(U"z")) return condition(Term::Kind::end_of_text);
    return ranges(escaped_ranges());
  }

  /// What an escape stands for, inside a class or outside.
  std::vector<Range> escaped_ranges() {
    const char32_t point = next();
    switch (point) {
      case U'd': return kDigits;
      case U'D': return complement(kDigits);
      case U'w': return kWord;
      case U'W': return complement(kWord);
      case U's': return kSpace;
      case U'S': return complement(kSpace);
      case U'a': return {{'\a', '\a'}};
      case U'f': return {{'\f', '\f'}};
      case U'n': return {{'\n', '\n'}};
      case U'r': return {{'\r', '\r'}};
      case U't': return {{'\t', '\t'}};
      case U'v': return {{'\v', '\v'}};
      case U'x': return hexadecimal();
      default: break;
    }
    if (contains(kWord, point) && point != U'_') refuse("an escape that is not supported");
    return {{point, point}};
  }

  std::vector<Range> hexadecimal() {
    const bool braced = take(U"{");
    char32_t value = 0;
    for (int digits = 0; braced ? peek() != U'}' : digits < 2; ++digits) {
      const char32_t digit = next();
      if (contains(kDigits, digit)) value = value * 16 + (digit - U'0');
      else if (digit >= U'a' && digit <= U'f') value = value * 16 + (digit - U'a' + 10);
      else if (digit >= U'A' && digit <= U'F') value = value * 16 + (digit - U'A' + 10);
      else refuse("a hexadecimal escape that is no number");
      if (value > kLastPoint) refuse("a code point beyond Unicode");
    }
    if (braced) ++position_;
    return {{value, value}};
  }

  Term character_class() {
    const bool negated = take(U"^");
    std::vector<Range> members;
    for (bool first = true; first || peek() != U']'; first = false) {
      if (at_end()) refuse("an unmatched [");
      const std::vector<Range> piece = class_member();
      const bool single = piece.size() == 1 && piece[0].first == piece[0].last;
      if (single && peek() == U'-' && position_ + 1 < text_.size() && text_[position_ + 1] != U']') {
        ++position_;
        const std::vector<Range> end = class_member();
        if (end.size() != 1 || end[0].last < piece[0].first) refuse("a range with its ends swapped");
        members.push_back({piece[0].first, end[0].last});
      } else {
        members.insert(members.end(), piece.begin(), piece.end());
      }
    }
    ++position_;
    Term term = ranges(std::move(members));
    term.negated = negated;
    return term;
  }

  std::vector<Range> class_member() {
    if (take(U"[:")) return named_class();
    const char32_t point = next();
    if (point == U'\\') return escaped_ranges();
    return {{point, point}};
  }

  std::vector<Range> named_class() {
    const bool negated = take(U"^");
    std::string name;
    while (peek() != U':') name.push_back(static_cast<char>(next()));
    if (!take(U":]")) refuse("an unmatched [:");
    const auto found = std::ranges::find(kNamedClasses, name, &NamedClass::name);
    if (found == kNamedClasses.end()) refuse("a class that is not known");
    return negated ? complement(found->ranges) : found->ranges;
  }

  std::string_view source_;
  std::u32string text_;
  std::size_t position_ = 0;
  std::uint32_t repeats_ = 0;
  bool folds_case_ = false;
  bool dot_is_all_ = false;
};

}  // namespace

bool is_word(char32_t point) { return contains(kWord, point); }

PatternTerm parse_pattern(std::string_view pattern) { return Parser(pattern).parse(); }

}  // namespace hone
