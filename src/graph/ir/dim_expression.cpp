#include "graph/ir/dim_expression.h"

#include <charconv>
#include <string>

#include "graph/ir/lexer.h"

namespace hone {
namespace {

constexpr std::size_t kLongest = 256;

constexpr std::string_view kWordCharacters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Reads sums of products; after a mistake every answer is nullopt. Nesting is bounded by the length of the text.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : rest_(text) {}

  std::optional<Dim> whole() {
    const std::optional<Dim> result = sum();
    return rest_.empty() ? result : std::nullopt;
  }

 private:
  bool accept(std::string_view symbol) {
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  std::optional<Dim> sum() {
    const bool negative = accept("-");
    std::optional<Dim> total = product();
    if (total && negative) total = Dim(0) - *total;
    while (total) {
      const bool plus = accept(" + ");
      if (!plus && !accept(" - ")) break;
      const std::optional<Dim> term = product();
      if (!term) return std::nullopt;
      total = plus ? *total + *term : *total - *term;
    }
    return total;
  }

  std::optional<Dim> product() {
    std::optional<Dim> total = factor();
    while (total && accept("*")) {
      const std::optional<Dim> next = factor();
      if (!next) return std::nullopt;
      total = *total * *next;
    }
    return total;
  }

  std::optional<Dim> factor() {
    if (accept("floor((")) return binary(")/(", "))", [](Dim a, Dim b) { return floor_div(a, b); });
    if (accept("max(")) return binary(", ", ")", [](Dim a, Dim b) { return maximum(a, b); });
    if (accept("min(")) return binary(", ", ")", [](Dim a, Dim b) { return minimum(a, b); });
    if (accept("`")) return odd_name();
    const std::string_view word = rest_.substr(0, rest_.find_first_not_of(kWordCharacters));
    rest_.remove_prefix(word.size());
    if (is_identifier(word)) return Dim::symbol(word);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool number = error == std::errc() && end == word.data() + word.size() && value < (std::int64_t{1} << 61);
    return number ? std::optional(Dim(value)) : std::nullopt;
  }

  template <class Combine>
  std::optional<Dim> binary(std::string_view between, std::string_view close, Combine combine) {
    const std::optional<Dim> left = sum();
    if (!left || !accept(between)) return std::nullopt;
    const std::optional<Dim> right = sum();
    if (!right || !accept(close)) return std::nullopt;
    return combine(*left, *right);
  }

  std::optional<Dim> odd_name() {
    std::string name;
    while (!rest_.empty()) {
      if (accept("``")) name += '`';
      else if (accept("`")) return Dim::symbol(name);
      else {
        name += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Dim> read_dim_expression(std::string_view text) {
  return text.size() > kLongest ? std::nullopt : ExpressionReader(text).whole();
}

}  // namespace hone
