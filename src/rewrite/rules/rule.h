#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir/op_name.h"
#include "rewrite/rules/expression.h"

namespace hone {

/// One input of an operation in a rule.
struct Operand {
  enum class Kind { tensor, number };

  Kind kind = Kind::tensor;
  std::size_t variable = 0;  // of a tensor
  bool list = false;         // `x...`: any number of tensors
  bool optional = false;     // `b?`: may be absent
  bool fallback = false;     // `b?0`: where absent, the number stands for it
  Expression number;         // the single element of a constant

  bool may_be_absent() const { return kind == Kind::tensor && optional && !fallback; }
};

/// An attribute of an operation: on the left a variable to bind or a value to have, on the right a value.
struct AttributeOperand {
  std::string name;
  Expression value;
};

/// One line of a side: operator, attributes, operands and what it defines.
struct RuleOperation {
  const OpName* op = nullptr;  // null on the right: the output is the operand itself
  std::vector<AttributeOperand> attributes;
  std::optional<std::size_t> rest;  // `*p`: the variable for all attributes not named
  std::vector<Operand> operands;
  std::vector<std::size_t> outputs;  // tensor variables
  bool each = false;                 // `y... = Relu(x...)`: one operation for every element of the lists
  bool list_output = false;          // `y... = Split(x)`: one operation with any number of outputs
};

/// `x: [n, c, ...]`: the shape of a tensor, whose names are bound or compared.
struct ShapeCondition {
  std::size_t tensor = 0;
  std::vector<Expression> dims;         // a name not bound yet binds
  std::optional<std::size_t> ellipsis;  // before which of `dims` any number of others may stand
};

/// What must hold for a rule to apply, in the order written.
struct Condition {
  std::optional<ShapeCondition> shape;
  Expression truth;
};

/// How the matcher comes from what it has to the next operation of the left side.
struct MatchStep {
  enum class Way { producer, reader };  // of the value bound to `variable`

  std::size_t operation = 0;
  Way way = Way::producer;
  std::size_t variable = 0;
  std::vector<std::size_t> decides = {};  // conditions that speak of tensors alone, the last of which is found here
};

/// An equation between two graphs, used from left to right: where the left side stands and the conditions hold, the
/// right side computes the same. Inner values of the left side must have no other readers unless they are named
/// `shared`.
struct Rule {
  std::string name;
  std::string family;
  std::string domain;  // the one whose operators the right side introduces; empty for ONNX's own
  std::string text;    // as written
  std::vector<std::string> tensors, terms, rests;  // names of variables, by number
  std::vector<RuleOperation> left, right;
  std::vector<Condition> conditions;
  std::vector<std::size_t> outputs;       // tensor variables that both sides define
  std::vector<std::size_t> inputs;        // tensor variables that neither side defines
  std::vector<bool> shared;               // by tensor variable
  std::vector<MatchStep> steps;           // the first is the root
  std::vector<std::size_t> loose_inputs;  // from which some output is not computed, so that they may depend on it
  bool assumes_finite = false;            // holds where all values that both sides compute are finite numbers
};

/// Reads the text form of a family of rules. Throws InputError naming `source:line:column`.
std::vector<Rule> parse_rules(std::string_view text, std::string_view family);

/// The text of a file under rules/, which is compiled in.
struct RuleFile {
  std::string_view name;
  std::string_view text;
};
std::span<const RuleFile> rule_files();

/// All rules that come with hone, by family and in the order written.
const std::vector<Rule>& builtin_rules();

/// Rules by what a user types: `all`, names and families separated by commas, `-name` takes away. Throws InputError
/// (usage) for a word that is none of them.
std::vector<const Rule*> select_rules(std::string_view selection);

}  // namespace hone
