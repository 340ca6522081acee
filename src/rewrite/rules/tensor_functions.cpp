#include <algorithm>
#include <cmath>

#include "rewrite/rules/functions.h"

// What conditions ask of tensors: types, shapes and contents of constants.

namespace hone {
namespace {

const Type* tensor_type(const Expression& argument, const Bindings& bindings) {
  if (argument.kind != Expression::Kind::tensor || bindings.tensors[argument.variable].size() != 1) return nullptr;
  const Type& type = bindings.graph->value(bindings.tensors[argument.variable][0]).type;
  return type.is_tensor() ? &type : nullptr;
}

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

constexpr ExpressionFunction kTensorFunctions[] = {
    {"rank", 1, rank_of},       {"shape", 1, shape_of},       {"dim", 2, dim_of},          {"dims", 2, dims_of},
    {"size", 1, size_of},       {"type", 1, element_type_of}, {"float", 1, is_float},      {"const", 1, is_constant},
    {"present", 1, is_present}, {"count", 1, count_of},       {"scalar", 1, scalar_of},    {"least", 1, least_of},
    {"uniform", 1, uniform_of}, {"before", 2, is_before},     {"counts_up", 2, counts_up},
};

}  // namespace

std::span<const ExpressionFunction> tensor_functions() { return kTensorFunctions; }

}  // namespace hone
