#include "rewrite/rules/expression.h"

#include <algorithm>

#include "rewrite/rules/functions.h"

namespace hone {
namespace {

Term arithmetic(const std::string& symbol, Dim a, Dim b) {
  if (symbol == "+") return a + b;
  if (symbol == "-") return a - b;
  if (symbol == "*") return a * b;
  if (!b.known() || b.value() == 0) return {};
  return symbol == "/" ? floor_div(a, b) : remainder(a, b);
}

Term arithmetic(const std::string& symbol, double a, double b) {
  if (symbol == "+") return a + b;
  if (symbol == "-") return a - b;
  if (symbol == "*") return a * b;
  return symbol == "/" && b != 0 ? Term(a / b) : Term();
}

Term compare(const std::string& symbol, const Term& a, const Term& b) {
  if (symbol == "==" || symbol == "!=") {
    const std::optional<bool> same = equal_terms(a, b);
    return same ? Term(*same == (symbol == "==")) : Term();
  }
  const auto x = known_number(a), y = known_number(b);
  if (!x || !y) return {};
  if (symbol == "<") return *x < *y;
  if (symbol == "<=") return *x <= *y;
  return symbol == ">" ? *x > *y : *x >= *y;
}

/// `and` and `or` of three-valued truth.
Term connect(const Expression& expression, const Bindings& bindings) {
  const bool decides = expression.symbol == "or";
  bool certain = true;
  for (const Expression& part : expression.parts) {
    const Term truth = evaluate(part, bindings);
    const bool* value = std::get_if<bool>(&truth);
    if (value != nullptr && *value == decides) return decides;
    certain = certain && value != nullptr;
  }
  return certain ? Term(!decides) : Term();
}

Term binary(const Expression& expression, const Bindings& bindings) {
  const std::string& symbol = expression.symbol;
  if (symbol == "and" || symbol == "or") return connect(expression, bindings);
  const Term a = evaluate(expression.parts[0], bindings), b = evaluate(expression.parts[1], bindings);
  if (std::string_view("+-*/%").find(symbol) == std::string_view::npos) return compare(symbol, a, b);
  const auto *x = std::get_if<Dim>(&a), *y = std::get_if<Dim>(&b);
  if (x != nullptr && y != nullptr) return arithmetic(symbol, *x, *y);
  const auto *first = std::get_if<DimList>(&a), *second = std::get_if<DimList>(&b);
  if (first != nullptr && second != nullptr && symbol == "+") {
    DimList joined = *first;
    joined.insert(joined.end(), second->begin(), second->end());
    return joined;
  }
  const auto p = known_number(a), q = known_number(b);
  return p && q ? arithmetic(symbol, *p, *q) : Term();
}

}  // namespace

const ExpressionFunction* find_function(std::string_view name) {
  for (const auto functions : {tensor_functions(), list_functions(), number_functions()}) {
    const auto found = std::ranges::find(functions, name, &ExpressionFunction::name);
    if (found != functions.end()) return &*found;
  }
  return nullptr;
}

Term evaluate(const Expression& expression, const Bindings& bindings) {
  switch (expression.kind) {
    case Expression::Kind::literal: return expression.literal;
    case Expression::Kind::term: return bindings.terms[expression.variable];
    case Expression::Kind::call: return expression.function->evaluate(expression, bindings);
    case Expression::Kind::binary: return binary(expression, bindings);
    case Expression::Kind::index:
      return element(evaluate(expression.parts[0], bindings), evaluate(expression.parts[1], bindings));
    case Expression::Kind::negation: {
      const Term truth = evaluate(expression.parts[0], bindings);
      const bool* value = std::get_if<bool>(&truth);
      return value != nullptr ? Term(!*value) : Term();
    }
    case Expression::Kind::list: {
      DimList list;
      for (const Expression& part : expression.parts) {
        const Term element = evaluate(part, bindings);
        const auto* dim = std::get_if<Dim>(&element);
        if (dim == nullptr) return {};
        list.push_back(*dim);
      }
      return list;
    }
    default: return {};
  }
}

bool holds(const Expression& expression, const Bindings& bindings) {
  const Term truth = evaluate(expression, bindings);
  const bool* value = std::get_if<bool>(&truth);
  return value != nullptr && *value;
}

}  // namespace hone
