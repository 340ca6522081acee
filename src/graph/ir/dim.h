#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

struct DimAlgebra;

/// One dimension of a shape: a number, a symbolic expression (`batch`, `2*seq + 1`), or unknown. Eight bytes, compared
/// by value: equal expressions are kept once in a process-wide table, so equality of dims is equality of words.
///
/// Expressions are sums of products of atoms in a canonical order; what has no polynomial form (a quotient that does
/// not come out even, a maximum) becomes an atom of its own.
class Dim {
 public:
  constexpr Dim() = default;  // unknown
  // NOLINTNEXTLINE: a number is a dimension; below -2^61, where no size is, it counts as unknown
  constexpr Dim(std::int64_t value) : word_(value > kSymbolic ? value : kUnknown) {}
  /// The dimension of that name. A name that is the text of an expression (`past + 1`) is that expression, so that what
  /// `text` wrote reads back as the same dimension.
  static Dim symbol(std::string_view name);

  constexpr bool known() const { return word_ > kSymbolic; }
  constexpr bool unknown() const { return word_ == kUnknown; }
  constexpr bool symbolic() const { return !known() && !unknown(); }
  /// Only when known().
  constexpr std::int64_t value() const { return word_; }

  /// `8`, `batch`, `2*seq + 1`, `?`.
  std::string text() const;

  friend constexpr bool operator==(Dim, Dim) = default;

  // Exact arithmetic; anything with an unknown operand, or beyond 2^61, is unknown.
  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);
  friend Dim floor_div(Dim a, Dim b);
  friend Dim ceil_div(Dim a, Dim b) { return floor_div(a + b - 1, b); }
  friend Dim remainder(Dim a, Dim b) { return a - floor_div(a, b) * b; }
  friend Dim maximum(Dim a, Dim b);
  friend Dim minimum(Dim a, Dim b);
  /// True when no choice of sizes (which are 0 or more) for its symbols makes it negative, as far as its form tells.
  friend bool never_negative(Dim d);

  /// The expression with every named atom replaced by what `value_of` gives for it (nullopt keeps the atom).
  Dim substitute(const std::function<std::optional<std::int64_t>(std::string_view)>& value_of) const;

 private:
  friend struct DimAlgebra;

  // Symbols live far below any number a shape computation can meet: word = kSymbolic - id.
  static constexpr std::int64_t kUnknown = INT64_MIN;
  static constexpr std::int64_t kSymbolic = -(std::int64_t{1} << 61);

  std::int64_t word_ = kUnknown;
};

}  // namespace hone
