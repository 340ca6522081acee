#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir/graph.h"
#include "rewrite/rules/setting.h"
#include "rewrite/rules/term.h"

namespace hone {

/// Attributes of a node as terms, ordered by name.
using NamedTerms = std::vector<std::pair<std::string, Term>>;

/// What a match has bound so far: tensors and terms by the number of their variable, in one graph.
struct Bindings {
  const Graph* graph = nullptr;
  RuleSetting::Defaults defaults = RuleSetting::Defaults::overridable;
  std::vector<SmallVector<ValueId, 1>> tensors;  // a list variable has any number, an absent optional input none
  std::vector<Term> terms;
  std::vector<NamedTerms> rests;  // `*p`: attributes by name
};

struct Expression;

/// A function of the expression language: one of the tables in functions.h.
struct ExpressionFunction {
  std::string_view name;
  std::size_t arguments;  // how many it takes
  Term (*evaluate)(const Expression& call, const Bindings& bindings);
};

/// The function of that name; null when there is none.
const ExpressionFunction* find_function(std::string_view name);

/// A condition or an attribute of a rule: `dim(x, 1) == group`, `[n, m]`. Truth is three-valued: what depends on a
/// dimension that is not known is neither true nor false, and no rule applies on account of it.
struct Expression {
  enum class Kind { literal, term, tensor, list, index, call, binary, negation };

  Kind kind = Kind::literal;
  Term literal;
  std::size_t variable = 0;                      // of `term` and `tensor`
  std::string symbol;                            // of `binary`: `+`, `==`, `and`, ...
  const ExpressionFunction* function = nullptr;  // of `call`
  std::vector<Expression> parts;                 // operands, elements, arguments
};

/// The value of an expression; nothing when it depends on what is not known.
Term evaluate(const Expression& expression, const Bindings& bindings);

/// Whether the expression is certainly true.
bool holds(const Expression& expression, const Bindings& bindings);

}  // namespace hone
