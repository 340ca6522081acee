#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "graph/ops/op.h"
#include "rewrite/rules/complete_rule.h"
#include "rewrite/rules/lexer.h"
#include "rewrite/rules/rule.h"

namespace hone {
namespace {

/// The number of a name in a list, which it joins when it is new.
std::size_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Reads one rule after another.
class RuleParser {
 public:
  RuleParser(std::string_view text, std::string_view family)
      : lexer_(text, fmt::format("rules/{}.rules", family)), family_(family) {}

  std::vector<Rule> run() {
    std::vector<Rule> rules;
    while (lexer_.peek().kind != RuleToken::Kind::end) {
      if (lexer_.accept("assume")) {
        lexer_.expect("finite");
        assumes_finite_ = true;
      } else {
        rules.push_back(rule());
      }
    }
    return rules;
  }

 private:
  enum class Side { left, right };

  Rule rule() {
    rule_ = {};
    inner_count_ = 0;
    const std::size_t start = lexer_.peek().offset;
    lexer_.expect("rule");
    rule_.family = family_;
    rule_.assumes_finite = assumes_finite_;
    rule_.name = kebab_name();
    if (lexer_.accept("into")) rule_.domain = dotted_name();
    side_ = Side::left;
    while (!lexer_.at("where") && !lexer_.at("=>")) statement(rule_.left);
    rule_.shared.assign(rule_.tensors.size(), false);
    if (lexer_.accept("where")) conditions();
    lexer_.expect("=>");
    side_ = Side::right;
    while (!lexer_.at("rule") && !lexer_.at("assume") && lexer_.peek().kind != RuleToken::Kind::end)
      statement(rule_.right);
    rule_.text = lexer_.written(start, lexer_.peek().offset);
    if (const std::optional<std::string> fault = complete_rule(rule_)) lexer_.fail_at(start, *fault);
    return std::move(rule_);
  }

  std::string kebab_name() {
    std::string name = lexer_.name("the name of a rule");
    while (lexer_.accept("-")) name += "-" + std::string(lexer_.next().text);
    return name;
  }

  std::string dotted_name() {
    std::string name = lexer_.name("a domain");
    while (lexer_.accept(".")) name += "." + lexer_.name("a domain");
    return name;
  }

  // Sides

  void statement(std::vector<RuleOperation>& side) {
    std::vector<std::size_t> outputs;
    bool list = false;
    do {
      outputs.push_back(number_of(rule_.tensors, lexer_.name("what an operation defines")));
      list = lexer_.accept("...");
    } while (lexer_.accept(","));
    lexer_.expect("=");
    if (!at_operator()) {
      if (side_ == Side::left) lexer_.fail_expected("an operator");
      RuleOperation same;
      same.operands.push_back(operand(side));
      same.outputs = std::move(outputs);
      side.push_back(std::move(same));
      return;
    }
    RuleOperation operation = call(side);
    operation.outputs = std::move(outputs);
    const bool over_lists = std::ranges::any_of(operation.operands, &Operand::list);
    operation.each = list && over_lists && !is_variadic(operation);
    operation.list_output = list && !operation.each;
    side.push_back(std::move(operation));
  }

  static bool is_variadic(const RuleOperation& operation) {
    const OpEntry* entry = OpTable::instance().find(operation.op);
    return entry != nullptr && entry->inputs.max == kMany;
  }

  /// Operators begin with a capital, domains are followed by a point, variables are neither.
  bool at_operator() const {
    const RuleToken& token = lexer_.peek();
    if (token.kind != RuleToken::Kind::name) return false;
    return (token.text[0] >= 'A' && token.text[0] <= 'Z') || token.text == "com" || token.text == "ai";
  }

  RuleOperation call(std::vector<RuleOperation>& side) {
    std::string domain, name = lexer_.name("an operator");
    while (lexer_.accept(".")) {
      domain += (domain.empty() ? "" : ".") + name;
      name = lexer_.name("an operator");
    }
    RuleOperation operation;
    operation.op = OpName::intern(domain, name);
    if (lexer_.accept("<")) attributes(operation);
    lexer_.expect("(");
    if (!lexer_.at(")")) do
        operation.operands.push_back(operand(side));
      while (lexer_.accept(","));
    lexer_.expect(")");
    return operation;
  }

  void attributes(RuleOperation& operation) {
    do {
      if (lexer_.accept("*")) {
        const std::string name = lexer_.name("a name for the other attributes");
        if (side_ == Side::right && !has_name(rule_.rests, name))
          lexer_.fail_expected("a name that the left side binds");
        operation.rest = number_of(rule_.rests, name);
        continue;
      }
      AttributeOperand attribute{.name = lexer_.name("an attribute"), .value = {}};
      lexer_.expect("=");
      attribute.value = side_ == Side::left ? binding_or_sum() : sum();
      operation.attributes.push_back(std::move(attribute));
    } while (lexer_.accept(","));
    lexer_.expect(">");
  }

  /// On the left a bare name binds.
  Expression binding_or_sum() {
    const RuleToken& token = lexer_.peek();
    if (token.kind == RuleToken::Kind::name && find_function(token.text) == nullptr)
      number_of(rule_.terms, std::string(token.text));
    return sum();
  }

  Operand operand(std::vector<RuleOperation>& side) {
    Operand operand;
    if (at_operator()) {  // a nested operation defines a value without a name
      RuleOperation inner = call(side);
      operand.variable = number_of(rule_.tensors, fmt::format("#{}", inner_count_++));
      inner.outputs = {operand.variable};
      operand.optional = side_ == Side::right && std::ranges::all_of(inner.operands, &Operand::may_be_absent);
      side.push_back(std::move(inner));
      return operand;
    }
    if (lexer_.accept("{")) {
      operand.kind = Operand::Kind::number;
      operand.number = disjunction();
      lexer_.expect("}");
      return operand;
    }
    if (lexer_.peek().kind == RuleToken::Kind::number || lexer_.at("-")) {
      operand.kind = Operand::Kind::number;
      operand.number = product();
      return operand;
    }
    const std::string name = lexer_.name("an operand");
    if (side_ == Side::right && name == "_") {  // an input that is left out
      operand.variable = number_of(rule_.tensors, name);
      operand.optional = true;
      return operand;
    }
    if (side_ == Side::right && !has_name(rule_.tensors, name))
      lexer_.fail_expected(fmt::format("a name in place of '{}', which nothing defines", name));
    operand.variable = number_of(rule_.tensors, name);
    operand.list = lexer_.accept("...");
    operand.optional = lexer_.accept("?");
    if (operand.optional && lexer_.peek().kind == RuleToken::Kind::number) {
      operand.fallback = true;
      operand.number = product();
    }
    return operand;
  }

  // Conditions

  void conditions() {
    do {
      const RuleToken token = lexer_.peek();
      if (lexer_.accept("finite")) {
        rule_.assumes_finite = true;
        continue;
      }
      if (lexer_.accept("shared")) {
        lexer_.expect("(");
        do rule_.shared[known_tensor()] = true;
        while (lexer_.accept(","));
        lexer_.expect(")");
        continue;
      }
      if (token.kind == RuleToken::Kind::name && has_name(rule_.tensors, token.text)) {
        rule_.conditions.push_back({.shape = shape_condition(), .truth = {}});
        continue;
      }
      rule_.conditions.push_back({.shape = {}, .truth = disjunction()});
    } while (lexer_.accept(","));
  }

  std::size_t known_tensor() {
    const std::string name = lexer_.name("a tensor");
    if (!has_name(rule_.tensors, name)) lexer_.fail_expected("a tensor of the left side");
    return number_of(rule_.tensors, name);
  }

  ShapeCondition shape_condition() {
    ShapeCondition condition{.tensor = known_tensor(), .dims = {}, .ellipsis = {}};
    lexer_.expect(":");
    lexer_.expect("[");
    if (lexer_.accept("]")) return condition;
    do {
      if (lexer_.accept("...")) condition.ellipsis = condition.dims.size();
      else condition.dims.push_back(binding_or_sum());
    } while (lexer_.accept(","));
    lexer_.expect("]");
    return condition;
  }

  // Expressions

  Expression disjunction() {
    return chain({"or"}, [&] { return conjunction(); });
  }
  Expression conjunction() {
    return chain({"and"}, [&] { return negation(); });
  }

  Expression negation() {
    if (!lexer_.accept("not")) return comparison();
    Expression expression{.kind = Expression::Kind::negation};
    expression.parts.push_back(comparison());
    return expression;
  }

  Expression comparison() {
    Expression left = sum();
    for (const std::string_view symbol : {"==", "!=", "<=", ">=", "<", ">"})
      if (lexer_.accept(symbol)) return binary(symbol, std::move(left), sum());
    return left;
  }

  Expression sum() {
    return chain({"+", "-"}, [&] { return product(); });
  }
  Expression product() {
    return chain({"*", "/", "%"}, [&] { return indexed(); });
  }

  template <class Part>
  Expression chain(std::initializer_list<std::string_view> symbols, Part part) {
    Expression left = part();
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view symbol : symbols) {
        if (!lexer_.accept(symbol)) continue;
        left = binary(symbol, std::move(left), part());
        more = true;
      }
    }
    return left;
  }

  static Expression binary(std::string_view symbol, Expression left, Expression right) {
    Expression expression{
        .kind = Expression::Kind::binary, .literal = {}, .variable = 0, .symbol = std::string(symbol)};
    expression.parts.push_back(std::move(left));
    expression.parts.push_back(std::move(right));
    return expression;
  }

  static Expression literal(Term term) { return {.kind = Expression::Kind::literal, .literal = std::move(term)}; }

  Expression indexed() {
    Expression expression = primary();
    while (lexer_.accept("[")) {
      Expression index{.kind = Expression::Kind::index};
      index.parts.push_back(std::move(expression));
      index.parts.push_back(sum());
      lexer_.expect("]");
      expression = std::move(index);
    }
    return expression;
  }

  Expression primary() {
    if (lexer_.accept("-")) return binary("-", literal(Dim(0)), primary());
    if (lexer_.accept("(")) {
      Expression inner = disjunction();
      lexer_.expect(")");
      return inner;
    }
    if (lexer_.accept("[")) {
      Expression list{.kind = Expression::Kind::list};
      if (!lexer_.at("]")) do
          list.parts.push_back(sum());
        while (lexer_.accept(","));
      lexer_.expect("]");
      return list;
    }
    const RuleToken token = lexer_.peek();
    if (token.kind == RuleToken::Kind::text) return literal(std::string(lexer_.next().text));
    if (token.kind == RuleToken::Kind::number) return number();
    return name_or_call();
  }

  Expression number() {
    const RuleToken token = lexer_.next();
    const char *first = token.text.data(), *last = first + token.text.size();
    std::int64_t integer = 0;
    if (token.text.find_first_of(".e") == std::string_view::npos &&
        std::from_chars(first, last, integer).ec == std::errc())
      return literal(Dim(integer));
    double real = 0;
    if (std::from_chars(first, last, real).ec != std::errc())
      lexer_.fail_at(token.offset, "a number that cannot be read");
    return literal(real);
  }

  Expression name_or_call() {
    const std::size_t offset = lexer_.peek().offset;
    const std::string name = lexer_.name("an expression");
    if (name == "true" || name == "false") return literal(name == "true");
    if (const ExpressionFunction* function = find_function(name); function != nullptr && lexer_.accept("(")) {
      Expression call{.kind = Expression::Kind::call};
      call.function = function;
      do call.parts.push_back(disjunction());
      while (lexer_.accept(","));
      lexer_.expect(")");
      if (call.parts.size() != function->arguments)
        lexer_.fail_at(offset, fmt::format("'{}' takes {} arguments", name, function->arguments));
      return call;
    }
    if (has_name(rule_.terms, name))
      return {.kind = Expression::Kind::term, .literal = {}, .variable = number_of(rule_.terms, name)};
    if (has_name(rule_.tensors, name))
      return {.kind = Expression::Kind::tensor, .literal = {}, .variable = number_of(rule_.tensors, name)};
    lexer_.fail_at(offset, fmt::format("'{}' is not bound by the left side or a shape", name));
  }

  RuleLexer lexer_;
  std::string family_;
  Rule rule_;
  Side side_ = Side::left;
  bool assumes_finite_ = false;  // of the rules that follow
  std::size_t inner_count_ = 0;
};

}  // namespace

std::vector<Rule> parse_rules(std::string_view text, std::string_view family) { return RuleParser(text, family).run(); }

}  // namespace hone
