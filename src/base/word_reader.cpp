#include "base/word_reader.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text_location.h"

namespace hone {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A piece of a file as a message shows it.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += static_cast<unsigned char>(c) >= 0x20 ? c : '?';
  return result;
}

}  // namespace

bool WordReader::at_end() {
  while (position_ < text_.size()) {
    if (is_space(text_[position_])) ++position_;
    else if (text_[position_] == '#') position_ = std::min(text_.find('\n', position_), text_.size());
    else return false;
  }
  return true;
}

void WordReader::refuse(std::string_view why) const {
  const TextLocation location = location_in(text_, last_);
  fail("{}:{}:{}: {}", file_, location.line, location.column, why);
}

std::string_view WordReader::word(std::string_view what) {
  const bool ended = at_end();
  last_ = position_;
  if (ended) refuse(fmt::format("the text ends, expected {}", what));
  while (position_ < text_.size() && !is_space(text_[position_]) && text_[position_] != '#') ++position_;
  return text_.substr(last_, position_ - last_);
}

std::int64_t WordReader::integer(std::string_view what, std::int64_t low, std::int64_t high) {
  const std::string_view text = word(what);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    refuse(fmt::format("'{}' is no number between {} and {}, expected {}", shown(text), low, high, what));
  return value;
}

double WordReader::amount(std::string_view what) {
  const std::string_view text = word(what);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    refuse(fmt::format("'{}' is no amount, expected {}", shown(text), what));
  return value;
}

double parse_amount(std::string_view text, std::string_view where, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    fail("{}: '{}' is no amount, expected {}", where, shown(text), what);
  return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view where, std::string_view what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail("{}: '{}' is no whole number, expected {}", where, shown(text), what);
  return value;
}

}  // namespace hone
