#include "rewrite/proof/asked.h"

#include <algorithm>

namespace hone {
namespace {

bool is_call_of(const Expression& part, std::initializer_list<std::string_view> names) {
  return part.kind == Expression::Kind::call && std::ranges::find(names, part.function->name) != names.end();
}

/// Whether the expression wants the contents of a tensor to be known.
bool wants_constant(const Expression& part, std::size_t tensor) {
  if (part.kind == Expression::Kind::negation) return false;
  if (is_call_of(part, {"const", "scalar", "least", "counts_up", "uniform"}) && part.parts[0].variable == tensor)
    return true;
  return std::ranges::any_of(part.parts, [&](const Expression& inner) { return wants_constant(inner, tensor); });
}

bool wants_variable(const Expression& part, std::size_t tensor) {
  return part.kind == Expression::Kind::negation && is_call_of(part.parts[0], {"const"}) &&
         part.parts[0].parts[0].variable == tensor;
}

/// Whether shapes and attributes that are bound decide the expression.
bool is_decided(const Expression& part, const Bindings& bindings, const std::vector<bool>& bound) {
  if (part.kind == Expression::Kind::tensor) return bound[part.variable];
  if (part.kind == Expression::Kind::term) return bindings.terms[part.variable].index() != 0;
  if (is_call_of(part, {"const", "scalar", "least", "counts_up", "uniform", "before", "type", "float"})) return false;
  return std::ranges::all_of(part.parts, [&](const Expression& inner) { return is_decided(inner, bindings, bound); });
}

/// Binds the names of a shape that are free and compares the others, as far as they are decided.
bool shape_fits(const ShapeCondition& condition, Bindings& bindings, const std::vector<bool>& bound) {
  if (!bound[condition.tensor] || bindings.tensors[condition.tensor].size() != 1) return true;
  const Shape& shape = bindings.graph->value(bindings.tensors[condition.tensor][0]).type.shape;
  const std::size_t count = condition.dims.size();
  if (condition.ellipsis ? shape.size() < count : shape.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool behind = condition.ellipsis && i >= *condition.ellipsis;
    const Dim dim = shape[behind ? shape.size() - count + i : i];
    const Expression& wanted = condition.dims[i];
    if (wanted.kind == Expression::Kind::term && bindings.terms[wanted.variable].index() == 0)
      bindings.terms[wanted.variable] = dim;
    else if (is_decided(wanted, bindings, bound) && equal_terms(evaluate(wanted, bindings), dim) != true) return false;
  }
  return true;
}

}  // namespace

AskedOf asked_of(const Rule& rule, std::size_t tensor) {
  for (const Condition& condition : rule.conditions) {
    if (condition.shape) continue;
    if (wants_constant(condition.truth, tensor)) return AskedOf::constant;
    if (wants_variable(condition.truth, tensor)) return AskedOf::variable;
  }
  return AskedOf::nothing;
}

std::optional<DimList> asked_shape(const Rule& rule, std::size_t tensor, const Bindings& bindings) {
  for (const Condition& condition : rule.conditions) {
    if (!condition.shape || condition.shape->tensor != tensor || condition.shape->ellipsis) continue;
    DimList dims;
    for (const Expression& dim : condition.shape->dims) {
      const auto known = known_integer(evaluate(dim, bindings));
      dims.push_back(known ? Dim(*known) : Dim());
    }
    return dims;
  }
  return std::nullopt;
}

Term asked_term(const Rule& rule, std::size_t term, const Bindings& bindings, const std::vector<bool>& bound) {
  for (const Condition& condition : rule.conditions) {
    const Expression& truth = condition.truth;
    if (condition.shape || truth.kind != Expression::Kind::binary || truth.symbol != "==") continue;
    const Expression &name = truth.parts[0], &value = truth.parts[1];
    if (name.kind != Expression::Kind::term || name.variable != term) continue;
    if (is_decided(value, bindings, bound)) return evaluate(value, bindings);
  }
  return {};
}

std::optional<std::vector<Term>> terms_by_shapes(const Rule& rule, const Bindings& bindings,
                                                 const std::vector<bool>& bound) {
  Bindings with_shapes = bindings;
  for (const Condition& condition : rule.conditions) {
    if (condition.shape) {
      if (!shape_fits(*condition.shape, with_shapes, bound)) return std::nullopt;
    } else if (is_decided(condition.truth, with_shapes, bound) && !holds(condition.truth, with_shapes)) {
      return std::nullopt;
    }
  }
  return std::move(with_shapes.terms);
}

}  // namespace hone
