#include "rewrite/rules/lexer.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::string_view kSymbols[] = {"...", "=>", "==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]",
                                         ",",   "=",  "?",  "+",  "-",  "*",  "/", "%", ":", ".", "{", "}"};

}  // namespace

RuleLexer::RuleLexer(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
  current_ = scan();
}

RuleToken RuleLexer::next() {
  const RuleToken taken = current_;
  current_ = scan();
  return taken;
}

bool RuleLexer::at(std::string_view word) const {
  return current_.text == word && (current_.kind == RuleToken::Kind::symbol || current_.kind == RuleToken::Kind::name);
}

bool RuleLexer::accept(std::string_view word) {
  if (!at(word)) return false;
  next();
  return true;
}

void RuleLexer::expect(std::string_view word) {
  if (!accept(word)) fail_expected(fmt::format("'{}'", word));
}

std::string RuleLexer::name(std::string_view what) {
  if (current_.kind != RuleToken::Kind::name) fail_expected(what);
  return std::string(next().text);
}

void RuleLexer::fail_expected(std::string_view what) const {
  const bool ended = current_.kind == RuleToken::Kind::end;
  fail_at(current_.offset, ended ? fmt::format("the text ends, expected {}", what)
                                 : fmt::format("found '{}', expected {}", current_.text.substr(0, 40), what));
}

void RuleLexer::fail_at(std::size_t offset, std::string_view message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  fail("{}:{}:{}: {}", source_, line, offset - start + 1, message);
}

RuleToken RuleLexer::scan() {
  while (position_ < text_.size()) {
    if (text_[position_] == '#') position_ = std::min(text_.find('\n', position_), text_.size());
    else if (std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) ++position_;
    else break;
  }
  const std::size_t start = position_;
  if (start == text_.size()) return {RuleToken::Kind::end, {}, start};
  const auto take_while = [&](auto wanted) {
    while (position_ < text_.size() && wanted(text_[position_])) ++position_;
    return text_.substr(start, position_ - start);
  };
  if (is_letter(text_[start]))
    return {RuleToken::Kind::name, take_while([](char c) { return is_letter(c) || is_digit(c); }), start};
  if (is_digit(text_[start])) {
    take_while(is_digit);
    if (position_ + 1 < text_.size() && text_[position_] == '.' && is_digit(text_[position_ + 1])) ++position_;
    take_while(is_digit);
    if (position_ < text_.size() && text_[position_] == 'e') {
      ++position_;
      if (position_ < text_.size() && text_[position_] == '-') ++position_;
    }
    return {RuleToken::Kind::number, take_while(is_digit), start};
  }
  if (text_[start] == '"') {
    const std::size_t end = text_.find('"', start + 1);
    if (end == std::string_view::npos) fail_at(start, "a text that does not end, expected a closing '\"'");
    position_ = end + 1;
    return {RuleToken::Kind::text, text_.substr(start + 1, end - start - 1), start};
  }
  for (const std::string_view symbol : kSymbols) {
    if (!text_.substr(start).starts_with(symbol)) continue;
    position_ += symbol.size();
    return {RuleToken::Kind::symbol, symbol, start};
  }
  fail_at(start, fmt::format("found the character '{}', expected a word of the rule language", text_[start]));
}

}  // namespace hone
