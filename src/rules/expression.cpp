#include "rules/expression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone {
namespace {

const Type* tensor_type(const Expression& argument, const Bindings& bindings) {
  if (argument.kind != Expression::Kind::tensor || bindings.tensors[argument.variable].size() != 1) return nullptr;
  const Type& type = bindings.graph->value(bindings.tensors[argument.variable][0]).type;
  return type.is_tensor() ? &type : nullptr;
}

Term argument(const Expression& call, std::size_t i, const Bindings& bindings) {
  return evaluate(call.parts[i], bindings);
}

// Functions of tensors
// -------------------------------------------------------------------------------------------------------------------

Term rank_of(const Expression& call, const Bindings& bindings) {
  const Type* type = tensor_type(call.parts[0], bindings);
  return type != nullptr && type->ranked ? Term(Dim(static_cast<std::int64_t>(type->shape.size()))) : Term();
}

Term shape_of(const Expression& call, const Bindings& bindings) {
  const Type* type = tensor_type(call.parts[0], bindings);
  return type != nullptr && type->ranked ? Term(DimList(type->shape.begin(), type->shape.end())) : Term();
}

Term dim_of(const Expression& call, const Bindings& bindings) {
  return element(shape_of(call, bindings), argument(call, 1, bindings));
}

Term size_of(const Expression& call, const Bindings& bindings) {
  const Type* type = tensor_type(call.parts[0], bindings);
  return type != nullptr && type->ranked ? Term(element_count(type->shape)) : Term();
}

Term element_type_of(const Expression& call, const Bindings& bindings) {
  const Type* type = tensor_type(call.parts[0], bindings);
  return type != nullptr ? Term(std::string(name_of(type->element))) : Term();
}

Term is_float(const Expression& call, const Bindings& bindings) {
  const Type* type = tensor_type(call.parts[0], bindings);
  return type != nullptr ? Term(is_floating(type->element)) : Term();
}

Term is_constant(const Expression& call, const Bindings& bindings) {
  if (call.parts[0].kind != Expression::Kind::tensor) return {};
  return std::ranges::all_of(bindings.tensors[call.parts[0].variable],
                             [&](ValueId id) { return is_fixed(*bindings.graph, id, bindings.defaults); });
}

Term is_present(const Expression& call, const Bindings& bindings) {
  if (call.parts[0].kind != Expression::Kind::tensor) return {};
  return !bindings.tensors[call.parts[0].variable].empty();
}

Term count_of(const Expression& call, const Bindings& bindings) {
  if (call.parts[0].kind != Expression::Kind::tensor) return {};
  return Dim(static_cast<std::int64_t>(bindings.tensors[call.parts[0].variable].size()));
}

/// The number a constant of one element holds.
Term scalar_of(const Expression& call, const Bindings& bindings) {
  if (tensor_type(call.parts[0], bindings) == nullptr) return {};
  const Tensor* tensor =
      fixed_contents(*bindings.graph, bindings.tensors[call.parts[0].variable][0], bindings.defaults);
  if (tensor == nullptr || tensor->count() != 1) return {};
  if (is_integer(tensor->type())) return Dim(static_cast<std::int64_t>(tensor->number_at(0)));
  return is_floating(tensor->type()) ? Term(tensor->number_at(0)) : Term();
}

/// True when every element of a constant is positive (`floor` 0), or at least not below it.
Term least_of(const Expression& call, const Bindings& bindings) {
  if (tensor_type(call.parts[0], bindings) == nullptr) return {};
  const Tensor* tensor =
      fixed_contents(*bindings.graph, bindings.tensors[call.parts[0].variable][0], bindings.defaults);
  if (tensor == nullptr || tensor->count() == 0 || !is_floating(tensor->type())) return {};
  double least = tensor->number_at(0);
  for (std::size_t i = 1; i < tensor->count(); ++i) {
    const double number = tensor->number_at(i);
    least = number < least || std::isnan(number) ? number : least;
  }
  return std::isnan(least) ? Term() : Term(least);
}

/// The number that all elements of a constant have.
Term uniform_of(const Expression& call, const Bindings& bindings) {
  if (tensor_type(call.parts[0], bindings) == nullptr) return {};
  const Tensor* tensor =
      fixed_contents(*bindings.graph, bindings.tensors[call.parts[0].variable][0], bindings.defaults);
  if (tensor == nullptr || tensor->count() == 0 || !(is_floating(tensor->type()) || is_integer(tensor->type())))
    return {};
  for (std::size_t i = 1; i < tensor->count(); ++i)
    if (tensor->number_at(i) != tensor->number_at(0)) return {};
  return tensor->number_at(0);
}

/// True when the first was made before the second, which tells two interchangeable nodes apart.
Term is_before(const Expression& call, const Bindings& bindings) {
  ValueId ids[2];
  for (std::size_t i = 0; i < 2; ++i) {
    if (tensor_type(call.parts[i], bindings) == nullptr) return {};
    ids[i] = bindings.tensors[call.parts[i].variable][0];
  }
  return ids[0] < ids[1];
}

/// Sizes of the elements of a list variable along an axis.
Term dims_of(const Expression& call, const Bindings& bindings) {
  const auto axis = known_integer(argument(call, 1, bindings));
  if (call.parts[0].kind != Expression::Kind::tensor || !axis) return {};
  DimList sizes;
  for (const ValueId id : bindings.tensors[call.parts[0].variable]) {
    const Type& type = bindings.graph->value(id).type;
    const auto place = type.is_tensor() && type.ranked ? position(*axis, type.shape.size()) : std::nullopt;
    if (!place) return {};
    sizes.push_back(type.shape[*place]);
  }
  return sizes;
}

/// Whether the constants of a list variable are 0, 1, 2 and so on up to but without a number.
Term counts_up(const Expression& call, const Bindings& bindings) {
  const auto count = known_integer(argument(call, 1, bindings));
  if (call.parts[0].kind != Expression::Kind::tensor || !count) return {};
  std::int64_t next = 0;
  for (const ValueId id : bindings.tensors[call.parts[0].variable]) {
    const Tensor* tensor = fixed_contents(*bindings.graph, id, bindings.defaults);
    if (tensor == nullptr || tensor->count() != 1 || !is_integer(tensor->type())) return {};
    if (tensor->number_at(0) != static_cast<double>(next++)) return false;
  }
  return next == *count;
}

// Functions of lists
// -------------------------------------------------------------------------------------------------------------------

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

// Functions of numbers
// -------------------------------------------------------------------------------------------------------------------

/// Equal up to what is lost when a constant is stored in a narrow type.
Term is_near(const Expression& call, const Bindings& bindings) {
  const auto a = known_number(argument(call, 0, bindings)), b = known_number(argument(call, 1, bindings));
  return a && b ? Term(std::abs(*a - *b) <= 1e-6 * std::max(std::abs(*a), std::abs(*b))) : Term();
}

Term square_root(const Expression& call, const Bindings& bindings) {
  const auto number = known_number(argument(call, 0, bindings));
  return number && *number >= 0 ? Term(std::sqrt(*number)) : Term();
}

template <bool kLess>
Term least_or_largest(const Expression& call, const Bindings& bindings) {
  const Term first = argument(call, 0, bindings), second = argument(call, 1, bindings);
  const auto a = known_number(first), b = known_number(second);
  if (!a || !b) return {};
  return (*a < *b) == kLess ? first : second;
}

constexpr ExpressionFunction kFunctions[] = {
    {"rank", 1, rank_of},
    {"shape", 1, shape_of},
    {"dim", 2, dim_of},
    {"dims", 2, dims_of},
    {"size", 1, size_of},
    {"type", 1, element_type_of},
    {"float", 1, is_float},
    {"const", 1, is_constant},
    {"present", 1, is_present},
    {"count", 1, count_of},
    {"scalar", 1, scalar_of},
    {"least", 1, least_of},
    {"uniform", 1, uniform_of},
    {"before", 2, is_before},
    {"counts_up", 2, counts_up},
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
    {"near", 2, is_near},
    {"sqrt", 1, square_root},
    {"min", 2, least_or_largest<true>},
    {"max", 2, least_or_largest<false>},
};

}  // namespace

const ExpressionFunction* find_function(std::string_view name) {
  const auto* found = std::ranges::find(kFunctions, name, &ExpressionFunction::name);
  return found != std::end(kFunctions) ? found : nullptr;
}

}  // namespace hone
