#include "graph/ir/dim.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "graph/ir/dim_expression.h"
#include "graph/ir/lexer.h"

namespace hone {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 61;
// Beyond this an expression says nothing useful to anyone; it becomes unknown instead of growing without bound.
constexpr std::size_t kMaxTerms = 16;

using Atom = std::uint32_t;
using Monomial = std::vector<Atom>;  // sorted; empty for the constant term
using Polynomial = std::map<Monomial, std::int64_t>;

enum class AtomKind { name, floor_div, maximum, minimum };

struct AtomEntry {
  AtomKind kind;
  std::string name;  // of a named atom
  Dim left, right;   // operands of the others
};

/// A name that cannot be told from an expression stands in backquotes inside expressions.
std::string atom_name(std::string_view name) {
  if (is_identifier(name)) return std::string(name);
  std::string text = "`";
  for (const char c : name) text.append(c == '`' ? 2 : 1, c);
  return text + "`";
}

/// Expressions and atoms of the whole process. Grows only; entries never move, so readers need the lock only to look
/// up.
class Table {
 public:
  static Table& instance() {
    static Table table;
    return table;
  }

  Atom atom(AtomEntry entry, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    const auto [it, added] = atom_of_.try_emplace(text, static_cast<Atom>(atoms_.size()));
    if (added) {
      atoms_.push_back(std::move(entry));
      atom_text_.push_back(text);
    }
    return it->second;
  }
  std::int64_t intern(const Polynomial& polynomial) {
    const std::string text = print(polynomial);
    const std::scoped_lock lock(mutex_);
    const auto [it, added] = expression_of_.try_emplace(text, static_cast<std::int64_t>(expressions_.size()));
    if (added) {
      expressions_.push_back(polynomial);
      expression_text_.push_back(text);
      expression_name_.push_back(lone_name(polynomial).value_or(text));
    }
    return it->second;
  }
  const Polynomial& expression(std::int64_t id) {
    const std::scoped_lock lock(mutex_);
    return expressions_[static_cast<std::size_t>(id)];
  }
  /// Text by which the expression stands inside others; no two have the same.
  const std::string& expression_text(std::int64_t id) {
    const std::scoped_lock lock(mutex_);
    return expression_text_[static_cast<std::size_t>(id)];
  }
  /// Text by which it stands alone: a name is not quoted.
  const std::string& expression_name(std::int64_t id) {
    const std::scoped_lock lock(mutex_);
    return expression_name_[static_cast<std::size_t>(id)];
  }
  const AtomEntry& atom_entry(Atom atom) {
    const std::scoped_lock lock(mutex_);
    return atoms_[atom];
  }

 private:
  /// `2*batch*seq + 1`; monomials by the text of their atoms, so that the print does not depend on interning order.
  std::string print(const Polynomial& polynomial) {
    std::vector<std::pair<std::string, std::int64_t>> terms;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [monomial, coefficient] : polynomial) {
        std::vector<std::string> factors;
        for (const Atom a : monomial) factors.push_back(atom_text_[a]);
        std::sort(factors.begin(), factors.end());
        terms.emplace_back(fmt::format("{}", fmt::join(factors, "*")), coefficient);
      }
    }
    std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.empty(), a.first) < std::pair(b.first.empty(), b.first);
    });
    std::string text;
    for (const auto& [factors, coefficient] : terms) {
      const bool negative = coefficient < 0;
      const std::int64_t magnitude = negative ? -coefficient : coefficient;
      if (!text.empty()) text += negative ? " - " : " + ";
      else if (negative) text += "-";
      if (factors.empty()) text += fmt::format("{}", magnitude);
      else if (magnitude == 1) text += factors;
      else text += fmt::format("{}*{}", magnitude, factors);
    }
    return text;
  }

  std::optional<std::string> lone_name(const Polynomial& polynomial) const {
    const auto& [monomial, coefficient] = *polynomial.begin();
    if (polynomial.size() != 1 || coefficient != 1 || monomial.size() != 1) return std::nullopt;
    const AtomEntry& entry = atoms_[monomial.front()];
    return entry.kind == AtomKind::name ? std::optional(entry.name) : std::nullopt;
  }

  std::mutex mutex_;
  std::deque<AtomEntry> atoms_;
  std::deque<std::string> atom_text_;
  std::unordered_map<std::string, Atom> atom_of_;
  std::deque<Polynomial> expressions_;
  std::deque<std::string> expression_text_;
  std::deque<std::string> expression_name_;
  std::unordered_map<std::string, std::int64_t> expression_of_;
};

/// Bridges Dim's private word and the table.
struct Symbolic {
  static constexpr std::int64_t kBase = -(std::int64_t{1} << 61);
};

bool in_range(__int128 value) { return value > -kLimit && value < kLimit; }

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [ma, ca] : a) {
    for (const auto& [mb, cb] : b) {
      Monomial m = ma;
      m.insert(m.end(), mb.begin(), mb.end());
      std::sort(m.begin(), m.end());
      const __int128 c = static_cast<__int128>(ca) * cb + product[m];
      if (!in_range(c)) return std::nullopt;
      product[m] = static_cast<std::int64_t>(c);
    }
  }
  return product;
}

std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b, std::int64_t factor) {
  Polynomial sum = a;
  for (const auto& [m, c] : b) {
    const __int128 total = static_cast<__int128>(c) * factor + sum[m];
    if (!in_range(total)) return std::nullopt;
    sum[m] = static_cast<std::int64_t>(total);
  }
  return sum;
}

/// a / b when b is one term that divides every term of a.
std::optional<Polynomial> divide_exactly(const Polynomial& a, const Polynomial& b) {
  if (b.size() != 1 || b.begin()->second == 0) return std::nullopt;
  const auto& [divisor, coefficient] = *b.begin();
  Polynomial quotient;
  for (const auto& [m, c] : a) {
    Monomial rest;
    std::set_difference(m.begin(), m.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
    if (c % coefficient != 0 || rest.size() + divisor.size() != m.size()) return std::nullopt;
    quotient[rest] = c / coefficient;
  }
  return quotient;
}

}  // namespace

/// Conversions between dims and polynomials.
struct DimAlgebra {
  static Polynomial polynomial(Dim d) {
    if (d.known()) return d.value() == 0 ? Polynomial{} : Polynomial{{Monomial{}, d.value()}};
    return Table::instance().expression(Symbolic::kBase - word(d));
  }
  static Dim dim(const std::optional<Polynomial>& maybe) {
    if (!maybe) return {};
    Polynomial p = *maybe;
    std::erase_if(p, [](const auto& term) { return term.second == 0; });
    if (p.empty()) return 0;
    if (p.size() == 1 && p.begin()->first.empty()) return p.begin()->second;
    if (p.size() > kMaxTerms) return {};
    return from_word(Symbolic::kBase - Table::instance().intern(p));
  }
  static Dim atom(AtomKind kind, Dim left, Dim right) {
    static constexpr std::string_view kNames[] = {"", "floor", "max", "min"};
    if (kind != AtomKind::floor_div && text_inside(right) < text_inside(left)) std::swap(left, right);
    const std::string a = text_inside(left), b = text_inside(right);
    const std::string text = kind == AtomKind::floor_div
                                 ? fmt::format("floor(({})/({}))", a, b)
                                 : fmt::format("{}({}, {})", kNames[static_cast<int>(kind)], a, b);
    if (text.size() > 256) return {};
    return dim(Polynomial{{Monomial{Table::instance().atom({kind, "", left, right}, text)}, 1}});
  }
  static Dim named(const std::string& name) {
    const Atom atom = Table::instance().atom({AtomKind::name, name, {}, {}}, atom_name(name));
    return dim(Polynomial{{Monomial{atom}, 1}});
  }
  static std::string text_inside(Dim d) {
    return d.symbolic() ? Table::instance().expression_text(Symbolic::kBase - word(d)) : d.text();
  }
  static std::int64_t word(Dim d) { return d.word_; }
  static Dim from_word(std::int64_t word) {
    Dim d;
    d.word_ = word;
    return d;
  }
};

Dim Dim::symbol(std::string_view name) {
  if (!is_identifier(name)) {
    const std::optional<Dim> expression = read_dim_expression(name);
    if (expression && expression->symbolic() && expression->text() == name) return *expression;
  }
  return DimAlgebra::named(std::string(name));
}

std::string Dim::text() const {
  if (unknown()) return "?";
  if (known()) return fmt::format("{}", word_);
  return Table::instance().expression_name(Symbolic::kBase - word_);
}

Dim operator+(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return {};
  if (a.known() && b.known())
    return in_range(static_cast<__int128>(a.word_) + b.word_) ? Dim(a.word_ + b.word_) : Dim();
  return DimAlgebra::dim(add(DimAlgebra::polynomial(a), DimAlgebra::polynomial(b), 1));
}

Dim operator-(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return {};
  if (a.known() && b.known())
    return in_range(static_cast<__int128>(a.word_) - b.word_) ? Dim(a.word_ - b.word_) : Dim();
  return DimAlgebra::dim(add(DimAlgebra::polynomial(a), DimAlgebra::polynomial(b), -1));
}

Dim operator*(Dim a, Dim b) {
  if (a == Dim(0) || b == Dim(0)) return 0;
  if (a.unknown() || b.unknown()) return {};
  if (a.known() && b.known()) {
    const __int128 product = static_cast<__int128>(a.word_) * b.word_;
    return in_range(product) ? Dim(static_cast<std::int64_t>(product)) : Dim();
  }
  return DimAlgebra::dim(multiply(DimAlgebra::polynomial(a), DimAlgebra::polynomial(b)));
}

Dim floor_div(Dim a, Dim b) {
  if (a.unknown() || b.unknown() || b == Dim(0)) return {};
  if (a.known() && b.known()) {
    const std::int64_t quotient = a.word_ / b.word_;
    const bool round_down = a.word_ % b.word_ != 0 && (a.word_ < 0) != (b.word_ < 0);
    return quotient - (round_down ? 1 : 0);
  }
  if (auto quotient = divide_exactly(DimAlgebra::polynomial(a), DimAlgebra::polynomial(b)))
    return DimAlgebra::dim(quotient);
  return DimAlgebra::atom(AtomKind::floor_div, a, b);
}

Dim maximum(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return {};
  if (a == b) return a;
  if (a.known() && b.known()) return std::max(a.word_, b.word_);
  return DimAlgebra::atom(AtomKind::maximum, a, b);
}

Dim minimum(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return {};
  if (a == b) return a;
  if (a.known() && b.known()) return std::min(a.word_, b.word_);
  return DimAlgebra::atom(AtomKind::minimum, a, b);
}

bool never_negative(Dim d) {
  if (!d.symbolic()) return d.known() && d.value() >= 0;
  for (const auto& [monomial, coefficient] : DimAlgebra::polynomial(d)) {
    if (coefficient < 0) return false;
    for (const Atom a : monomial) {
      const AtomEntry& entry = Table::instance().atom_entry(a);
      const bool left = never_negative(entry.left), right = never_negative(entry.right);
      const bool holds =
          entry.kind == AtomKind::name || (left && right) || (entry.kind == AtomKind::maximum && (left || right));
      if (!holds) return false;
    }
  }
  return true;
}

Dim Dim::substitute(const std::function<std::optional<std::int64_t>(std::string_view)>& value_of) const {
  if (!symbolic()) return *this;
  Table& table = Table::instance();
  Dim sum = 0;
  for (const auto& [monomial, coefficient] : DimAlgebra::polynomial(*this)) {
    Dim product = coefficient;
    for (const Atom a : monomial) {
      const AtomEntry& entry = table.atom_entry(a);
      Dim factor;
      if (entry.kind == AtomKind::name) {
        const auto value = value_of(entry.name);
        factor = value ? Dim(*value) : DimAlgebra::named(entry.name);
      } else {
        const Dim left = entry.left.substitute(value_of), right = entry.right.substitute(value_of);
        if (entry.kind == AtomKind::floor_div) factor = floor_div(left, right);
        else factor = entry.kind == AtomKind::maximum ? maximum(left, right) : minimum(left, right);
      }
      product = product * factor;
    }
    sum = sum + product;
  }
  return sum;
}

}  // namespace hone
