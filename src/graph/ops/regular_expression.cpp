#include "graph/ops/regular_expression.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace hone {
namespace {

using State = RegularExpression::State;
using Term = PatternTerm;

constexpr std::size_t kMaxStates = 200'000;

/// Turns terms into states, last part first, so that where each one leads is already there.
class Builder {
 public:
  std::vector<State> build(const Term& whole) {
    states_.push_back({.kind = State::Kind::accept});
    const std::uint32_t start = add(whole, 0);
    fork(start, start);
    return std::move(states_);
  }

 private:
  std::uint32_t push(State state) {
    states_.push_back(std::move(state));
    return static_cast<std::uint32_t>(states_.size() - 1);
  }

  std::uint32_t fork(std::uint32_t a, std::uint32_t b) {
    return push({.kind = State::Kind::fork, .next = a, .other = b});
  }

  /// The state where the term begins, if it is followed by state `next`.
  std::uint32_t add(const Term& term, std::uint32_t next) {
    // Counts terms rather than states: an empty group repeated a thousand times a thousand times has no states.
    if (++terms_ > kMaxStates) fail("a regular expression is too large: its repetitions multiply");
    switch (term.kind) {
      case Term::Kind::sequence:
        for (std::size_t i = term.parts.size(); i-- > 0;) next = add(term.parts[i], next);
        return next;
      case Term::Kind::choice: {
        std::uint32_t entry = add(term.parts.back(), next);
        for (std::size_t i = term.parts.size() - 1; i-- > 0;) entry = fork(add(term.parts[i], next), entry);
        return entry;
      }
      case Term::Kind::repeat: return add_repeat(term, next);
      default: return push({.kind = State::Kind::step, .term = term, .next = next});
    }
  }

  std::uint32_t add_repeat(const Term& term, std::uint32_t next) {
    const Term& part = term.parts.front();
    std::uint32_t entry = next;
    if (term.most) {
      for (std::uint32_t i = term.least; i < *term.most; ++i) entry = fork(add(part, entry), next);
    } else {
      entry = fork(next, next);
      const std::uint32_t again = add(part, entry);
      states_[entry].next = again;
    }
    for (std::uint32_t i = 0; i < term.least; ++i) entry = add(part, entry);
    return entry;
  }

  std::vector<State> states_;
  std::size_t terms_ = 0;
};

/// The states a text can be in, one character after the other.
class Simulation {
 public:
  Simulation(std::span<const State> states, const std::u32string& text)
      : states_(states), text_(text), seen_(states.size(), false) {
    enter(static_cast<std::uint32_t>(states.size() - 1), 0);
  }

  bool run() {
    for (std::size_t i = 0; i < text_.size() && !current_.empty(); ++i) {
      const std::vector<std::uint32_t> before = std::exchange(current_, {});
      seen_.assign(states_.size(), false);
      for (const std::uint32_t index : before) {
        const State& state = states_[index];
        if (state.kind == State::Kind::step && contains(state.term.ranges, text_[i]) != state.term.negated)
          enter(state.next, i + 1);
      }
    }
    return std::ranges::any_of(current_, [&](std::uint32_t s) { return states_[s].kind == State::Kind::accept; });
  }

 private:
  /// Adds a state and all that follow it without reading a character.
  void enter(std::uint32_t first, std::size_t position) {
    std::vector<std::uint32_t> pending = {first};
    while (!pending.empty()) {
      const std::uint32_t index = pending.back();
      pending.pop_back();
      if (seen_[index]) continue;
      seen_[index] = true;
      const State& state = states_[index];
      if (state.kind == State::Kind::fork) {
        pending.push_back(state.other);
        pending.push_back(state.next);
      } else if (state.kind == State::Kind::accept || state.term.kind == Term::Kind::character) {
        current_.push_back(index);
      } else if (holds(state.term.kind, position)) {
        pending.push_back(state.next);
      }
    }
  }

  bool holds(Term::Kind condition, std::size_t position) const {
    if (condition == Term::Kind::start_of_text) return position == 0;
    if (condition == Term::Kind::end_of_text) return position == text_.size();
    const bool before = position > 0 && is_word(text_[position - 1]);
    const bool after = position < text_.size() && is_word(text_[position]);
    return (before != after) == (condition == Term::Kind::word_boundary);
  }

  std::span<const State> states_;
  const std::u32string& text_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> current_;  // those that wait for a character, or accept
};

}  // namespace

RegularExpression::RegularExpression(std::string_view pattern) : states_(Builder().build(parse_pattern(pattern))) {}

bool RegularExpression::matches(std::string_view text) const {
  const std::u32string points = decode_utf8(text);
  return Simulation(states_, points).run();
}

}  // namespace hone
