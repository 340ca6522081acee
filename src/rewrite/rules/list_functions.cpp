#include <algorithm>
#include <numeric>

#include "rewrite/rules/functions.h"

// Lists of sizes, axes and positions.

namespace hone {
namespace {

Term length_of(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  return dims != nullptr ? Term(Dim(static_cast<std::int64_t>(dims->size()))) : Term();
}

Term sum_of(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  return dims != nullptr ? Term(std::accumulate(dims->begin(), dims->end(), Dim(0))) : Term();
}

Term product_of(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  if (dims == nullptr) return {};
  return std::accumulate(dims->begin(), dims->end(), Dim(1), [](Dim a, Dim b) { return a * b; });
}

/// Whether all elements of a list equal one number.
Term all_equal(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings), wanted = argument(call, 1, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  const auto* number = std::get_if<Dim>(&wanted);
  if (dims == nullptr || number == nullptr) return {};
  const std::optional<bool> same = equal_terms(list, DimList(dims->size(), *number));
  return same ? Term(*same) : Term();
}

Term contains(const Expression& call, const Bindings& bindings) {
  const auto list = known_integers(argument(call, 0, bindings));
  const auto wanted = known_integer(argument(call, 1, bindings));
  return list && wanted ? Term(std::ranges::find(*list, *wanted) != list->end()) : Term();
}

/// `part(list, first, last)`: the elements from first up to but without last.
Term part_of(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  const auto first = known_integer(argument(call, 1, bindings)), last = known_integer(argument(call, 2, bindings));
  if (dims == nullptr || !first || !last || *first < 0 || *first > *last) return {};
  if (*last > static_cast<std::int64_t>(dims->size())) return {};
  return DimList(dims->begin() + *first, dims->begin() + *last);
}

/// The list with the elements at the given positions left out.
Term without(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  const auto positions = known_integers(argument(call, 1, bindings));
  if (dims == nullptr || !positions) return {};
  DimList kept;
  for (std::size_t i = 0; i < dims->size(); ++i)
    if (std::ranges::find(*positions, static_cast<std::int64_t>(i)) == positions->end()) kept.push_back((*dims)[i]);
  return kept;
}

/// `with(list, position, value)`: the list with one element replaced.
Term with(const Expression& call, const Bindings& bindings) {
  Term list = argument(call, 0, bindings);
  const auto index = known_integer(argument(call, 1, bindings));
  const Term wanted = argument(call, 2, bindings);
  auto* dims = std::get_if<DimList>(&list);
  const auto* number = std::get_if<Dim>(&wanted);
  const auto place = dims != nullptr && index ? position(*index, dims->size()) : std::nullopt;
  if (!place || number == nullptr) return {};
  (*dims)[*place] = *number;
  return list;
}

/// `pick(list, positions)`: element positions[i] of the list at place i. Of two permutations it is the second after the
/// first.
Term pick(const Expression& call, const Bindings& bindings) {
  const Term list = argument(call, 0, bindings);
  const auto* dims = std::get_if<DimList>(&list);
  const auto positions = known_integers(argument(call, 1, bindings));
  if (dims == nullptr || !positions) return {};
  DimList picked;
  for (const std::int64_t index : *positions) {
    const auto place = position(index, dims->size());
    if (!place) return {};
    picked.push_back((*dims)[*place]);
  }
  return picked;
}

/// The permutation that undoes one.
Term inverse(const Expression& call, const Bindings& bindings) {
  const auto permutation = known_integers(argument(call, 0, bindings));
  if (!permutation) return {};
  DimList undone(permutation->size());
  for (std::size_t i = 0; i < permutation->size(); ++i) {
    const auto place = position((*permutation)[i], permutation->size());
    if (!place) return {};
    undone[*place] = static_cast<std::int64_t>(i);
  }
  return undone;
}

/// `restricted(permutation, axes)`: how a permutation orders the axes that are left when some are taken away.
Term restricted(const Expression& call, const Bindings& bindings) {
  const auto permutation = known_integers(argument(call, 0, bindings));
  const auto axes = known_integers(argument(call, 1, bindings));
  if (!permutation || !axes) return {};
  DimList order;
  for (const std::int64_t axis : *permutation)
    if (std::ranges::find(*axes, axis) == axes->end())
      order.push_back(axis - std::ranges::count_if(*axes, [&](std::int64_t gone) { return gone < axis; }));
  return order;
}

/// `range(first, last)`: whole numbers from first up to but without last.
Term range(const Expression& call, const Bindings& bindings) {
  constexpr std::int64_t kMost = 64;  // more than any tensor has axes
  const auto first = known_integer(argument(call, 0, bindings)), last = known_integer(argument(call, 1, bindings));
  if (!first || !last || *last - *first > kMost) return {};
  DimList numbers;
  for (std::int64_t i = *first; i < *last; ++i) numbers.push_back(i);
  return numbers;
}

/// `repeat(value, count)`: a list of equal numbers.
Term repeat(const Expression& call, const Bindings& bindings) {
  constexpr std::int64_t kMost = 64;
  const Term value = argument(call, 0, bindings);
  const auto* number = std::get_if<Dim>(&value);
  const auto count = known_integer(argument(call, 1, bindings));
  if (number == nullptr || !count || *count < 0 || *count > kMost) return {};
  return DimList(static_cast<std::size_t>(*count), *number);
}

Term sorted(const Expression& call, const Bindings& bindings) {
  auto list = known_integers(argument(call, 0, bindings));
  if (!list) return {};
  std::ranges::sort(*list);
  return DimList(list->begin(), list->end());
}

/// The elements of both lists, each once, in ascending order.
Term union_of(const Expression& call, const Bindings& bindings) {
  auto all = known_integers(argument(call, 0, bindings));
  const auto more = known_integers(argument(call, 1, bindings));
  if (!all || !more) return {};
  all->insert(all->end(), more->begin(), more->end());
  std::ranges::sort(*all);
  all->erase(std::unique(all->begin(), all->end()), all->end());
  return DimList(all->begin(), all->end());
}

Term lowest(const Expression& call, const Bindings& bindings) {
  const auto list = known_integers(argument(call, 0, bindings));
  return list && !list->empty() ? Term(Dim(*std::ranges::min_element(*list))) : Term();
}

/// Where the largest number of a list stands; the last of several.
Term largest_at(const Expression& call, const Bindings& bindings) {
  const auto list = known_integers(argument(call, 0, bindings));
  if (!list || list->empty()) return {};
  const auto largest = std::ranges::max_element(list->rbegin(), list->rend());
  return Dim(static_cast<std::int64_t>(list->rend() - largest - 1));
}

/// `overlaps(pads, kernel)`: whether every window of a pool meets at least one element, for what pads before and
/// behind.
Term overlaps(const Expression& call, const Bindings& bindings) {
  const auto pads = known_integers(argument(call, 0, bindings)), kernel = known_integers(argument(call, 1, bindings));
  if (!pads || !kernel || pads->size() != 2 * kernel->size()) return {};
  for (std::size_t i = 0; i < pads->size(); ++i)
    if ((*pads)[i] >= (*kernel)[i % kernel->size()]) return false;
  return true;
}

/// Element by element.
template <Dim (*kCombine)(Dim, Dim)>
Term combine_lists(const Expression& call, const Bindings& bindings) {
  const Term first = argument(call, 0, bindings), second = argument(call, 1, bindings);
  const auto *a = std::get_if<DimList>(&first), *b = std::get_if<DimList>(&second);
  if (a == nullptr || b == nullptr || a->size() != b->size()) return {};
  DimList combined;
  for (std::size_t i = 0; i < a->size(); ++i) combined.push_back(kCombine((*a)[i], (*b)[i]));
  return combined;
}

Dim add(Dim a, Dim b) { return a + b; }
Dim multiply(Dim a, Dim b) { return a * b; }

constexpr ExpressionFunction kListFunctions[] = {
    {"len", 1, length_of},
    {"sum", 1, sum_of},
    {"product", 1, product_of},
    {"all", 2, all_equal},
    {"contains", 2, contains},
    {"part", 3, part_of},
    {"without", 2, without},
    {"with", 3, with},
    {"pick", 2, pick},
    {"inverse", 1, inverse},
    {"restricted", 2, restricted},
    {"range", 2, range},
    {"repeat", 2, repeat},
    {"sorted", 1, sorted},
    {"union", 2, union_of},
    {"lowest", 1, lowest},
    {"largest_at", 1, largest_at},
    {"overlaps", 2, overlaps},
    {"add", 2, combine_lists<add>},
    {"multiply", 2, combine_lists<multiply>},
};

}  // namespace

std::span<const ExpressionFunction> list_functions() { return kListFunctions; }

}  // namespace hone
