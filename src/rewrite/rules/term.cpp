#include "rewrite/rules/term.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace hone {
namespace {

std::optional<bool> equal_dims(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return std::nullopt;
  if (a == b) return true;
  return a.known() && b.known() ? std::optional(false) : std::nullopt;
}

std::optional<bool> equal_lists(const DimList& a, const DimList& b) {
  if (a.size() != b.size()) return false;
  bool certain = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::optional<bool> same = equal_dims(a[i], b[i]);
    if (same == false) return false;
    certain = certain && same.has_value();
  }
  return certain ? std::optional(true) : std::nullopt;
}

}  // namespace

Term term_of(const AttributeValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Dim(*integer);
  if (const auto* number = std::get_if<float>(&value)) return static_cast<double>(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
    return DimList(integers->begin(), integers->end());
  if (const auto* numbers = std::get_if<std::vector<float>>(&value))
    return std::vector<double>(numbers->begin(), numbers->end());
  return std::monostate();
}

std::optional<bool> equal_terms(const Term& a, const Term& b) {
  if (a.index() == 0 || b.index() == 0) return std::nullopt;
  if (a.index() != b.index()) {
    const auto x = known_number(a), y = known_number(b);
    return x && y ? std::optional(*x == *y) : std::nullopt;
  }
  if (const auto* dim = std::get_if<Dim>(&a)) return equal_dims(*dim, std::get<Dim>(b));
  if (const auto* list = std::get_if<DimList>(&a)) return equal_lists(*list, std::get<DimList>(b));
  return a == b;
}

std::optional<std::int64_t> known_integer(const Term& term) {
  const auto* dim = std::get_if<Dim>(&term);
  return dim != nullptr && dim->known() ? std::optional(dim->value()) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> known_integers(const Term& term) {
  const auto* list = std::get_if<DimList>(&term);
  if (list == nullptr || !std::ranges::all_of(*list, &Dim::known)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  numbers.reserve(list->size());
  for (const Dim dim : *list) numbers.push_back(dim.value());
  return numbers;
}

std::optional<double> known_number(const Term& term) {
  if (const auto* number = std::get_if<double>(&term)) return *number;
  const std::optional<std::int64_t> integer = known_integer(term);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

std::optional<std::size_t> position(std::int64_t index, std::size_t count) {
  const std::int64_t size = static_cast<std::int64_t>(count);
  if (index < -size || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

Term element(const Term& list, const Term& index) {
  const auto at = known_integer(index);
  const auto* dims = std::get_if<DimList>(&list);
  const auto place = at && dims != nullptr ? position(*at, dims->size()) : std::nullopt;
  return place ? Term((*dims)[*place]) : Term();
}

std::uint64_t hash_of(const Term& term, std::uint64_t seed) {
  std::uint64_t hash = mix(seed, term.index());
  const auto add = [&](Dim dim) {
    hash = dim.known() ? mix(hash, static_cast<std::uint64_t>(dim.value())) : hash_text(dim.text(), hash);
  };
  if (const auto* dim = std::get_if<Dim>(&term)) add(*dim);
  if (const auto* number = std::get_if<double>(&term)) hash = mix(hash, std::bit_cast<std::uint64_t>(*number));
  if (const auto* truth = std::get_if<bool>(&term)) hash = mix(hash, *truth ? 1 : 0);
  if (const auto* text = std::get_if<std::string>(&term)) hash = hash_text(*text, hash);
  if (const auto* dims = std::get_if<DimList>(&term))
    for (const Dim dim : *dims) add(dim);
  if (const auto* numbers = std::get_if<std::vector<double>>(&term))
    for (const double number : *numbers) hash = mix(hash, std::bit_cast<std::uint64_t>(number));
  return hash;
}

}  // namespace hone
