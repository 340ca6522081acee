#include "rewrite/discover/rule_text.h"

#include <algorithm>
#include <map>

#include "rewrite/discover/pieces.h"

namespace hone {
namespace {

/// Writes one side after the other; what the left says in variables the right may use.
class RuleWriter {
 public:
  RuleWriter(const World& world, const RuleManner& manner) : world_(world), manner_(manner) {}

  std::string run(const RuleDraft& draft, const std::string& name) {
    std::string text = fmt::format("rule {}\n{}", name, side(draft.left));
    conditions_from_inputs(draft);
    if (manner_.values == RuleManner::Values::finite) conditions_.push_back("finite");
    if (!conditions_.empty()) text += fmt::format("  where {}\n", fmt::join(conditions_, ", "));
    on_left_ = false;
    return text + "=>\n" + side(draft.right);
  }

 private:
  std::string side(const std::vector<Formula>& outputs) {
    statements_.clear();
    named_.clear();
    counts_.clear();
    for (const Formula& output : outputs) count(output);
    constexpr const char* kOutputs[] = {"y", "z"};
    if (outputs.size() == 2 && is_split(outputs[0]) && is_split(outputs[1]) &&
        outputs[0].operands == outputs[1].operands) {
      const std::string call_text = call(outputs[0]);
      return statements_ + fmt::format("  y, z = {}\n", call_text);
    }
    std::string text;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      std::string line;
      if (is_split(outputs[i])) {
        const std::string call_text = call(outputs[i]);
        const std::string other = next_name();
        line = fmt::format("  {} = {}\n",
                           outputs[i].part == 0 ? fmt::format("{}, {}", kOutputs[i], other)
                                                : fmt::format("{}, {}", other, kOutputs[i]),
                           call_text);
      } else {
        line = fmt::format("  {} = {}\n", kOutputs[i], outputs[i].is_input() ? operand(outputs[i]) : call(outputs[i]));
      }
      text += statements_ + line;
      statements_.clear();
    }
    return text;
  }

  bool is_split(const Formula& formula) const { return !formula.is_input() && world_.menu[formula.op].is("Split"); }

  std::string next_name() { return fmt::format("t{}", ++names_); }

  /// The text of a formula with everything in place, which tells formulas apart.
  std::string key(const Formula& formula) const {
    if (formula.is_input()) return world_.inputs[formula.input].name;
    std::string text = fmt::format("{}(", formula.op);
    for (const Formula& each : formula.operands) text += key(each) + ",";
    return text + ")";
  }

  void count(const Formula& formula) {
    if (formula.is_input()) return;
    if (++counts_[key(formula)] == 1)
      for (const Formula& each : formula.operands) count(each);
  }

  /// An operand: a name, or a call in place when nobody else needs its result.
  std::string operand(const Formula& formula) {
    if (formula.is_input()) return world_.inputs[formula.input].name;
    const std::string wanted = key(formula);
    if (!is_split(formula) && counts_[wanted] < 2) return call(formula);
    if (!named_.contains(wanted)) {
      const std::string call_text = call(formula);
      std::vector<std::string> names = {next_name()};
      if (is_split(formula)) names.push_back(next_name());
      statements_ += fmt::format("  {} = {}\n", fmt::join(names, ", "), call_text);
      named_[wanted] = std::move(names);
    }
    return named_[wanted][formula.part];
  }

  std::string call(const Formula& formula) {
    const MenuOperator& entry = world_.menu[formula.op];
    std::vector<std::string> operands;
    for (const Formula& each : formula.operands) operands.push_back(operand(each));
    std::string attributes = attributes_text(entry);
    if (is_split(formula)) attributes += fmt::format(", split={}", sizes_text(formula));
    return fmt::format("{}{}({})", entry.op->text(), attributes.empty() ? "" : "<" + attributes + ">",
                       fmt::join(operands, ", "));
  }

  std::string attributes_text(const MenuOperator& entry) {
    const bool open = manner_.attributes == RuleManner::Attributes::open;
    if (open && on_left_) bound_.insert(entry.open);
    return open && bound_.contains(entry.open) ? entry.open : entry.fixed;
  }

  /// Sizes of a Split: on the left a variable that a condition compares, on the right what they are.
  std::string sizes_text(const Formula& formula) {
    const std::size_t split_axis = world_.menu[formula.op].axis;
    std::vector<std::string> sizes;
    const std::vector<Pieces> pieces = pieces_of(world_, formula.operands[0]);
    for (const auto& [input, axis] : pieces[split_axis])
      sizes.push_back(fmt::format("dim({}, {})", world_.inputs[input].name, axis_text(axis)));
    const std::string list = fmt::format("[{}]", fmt::join(sizes, ", "));
    if (!on_left_) return list;
    const std::string variable = fmt::format("s{}", ++names_);
    conditions_.push_back(fmt::format("{} == {}", variable, list));
    return variable;
  }

  std::string axis_text(std::size_t axis) const {
    const std::string variable = axis == 0 ? "i" : "j";
    return bound_.contains("axis=" + variable) ? variable : fmt::format("{}", axis);
  }

  void conditions_from_inputs(const RuleDraft& draft) {
    std::set<std::uint32_t> inputs;
    for (const Formula& formula : draft.left) inputs.merge(inputs_of(formula));
    std::map<TensorSort, std::string> first;
    for (const std::uint32_t number : inputs) {
      const WorldInput& input = world_.inputs[number];
      if (manner_.shapes != RuleManner::Shapes::any) {
        std::vector<std::string> dims;
        for (std::size_t i = 0; i < input.tensor.rank(); ++i) dims.push_back(fmt::format("{}{}", input.name, i));
        conditions_.push_back(fmt::format("{}: [{}]", input.name, fmt::join(dims, ", ")));
      }
      const auto [place, added] = first.emplace(input.sort, input.name);
      if (manner_.shapes == RuleManner::Shapes::same && !added)
        conditions_.push_back(fmt::format("shape({}) == shape({})", input.name, place->second));
    }
  }

  const World& world_;
  const RuleManner& manner_;
  bool on_left_ = true;
  std::string statements_;                                 // of the side, before the one being written
  std::map<std::string, std::vector<std::string>> named_;  // results that have names
  std::map<std::string, std::size_t> counts_;              // how often a formula stands in the side
  std::set<std::string> bound_;                            // attributes that the left binds
  std::vector<std::string> conditions_;
  std::size_t names_ = 0;
};

void add_operators(const World& world, const Formula& formula, std::vector<std::string>& words) {
  if (formula.is_input()) return;
  std::string word = world.menu[formula.op].op->name;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  words.push_back(std::move(word));
  for (const Formula& operand : formula.operands) add_operators(world, operand, words);
}

std::string words_of(const World& world, const std::vector<Formula>& side) {
  std::vector<std::string> words;
  for (const Formula& formula : side) add_operators(world, formula, words);
  return words.empty() ? "input" : fmt::format("{}", fmt::join(words, "-"));
}

}  // namespace

std::vector<RuleManner> manners() {
  using A = RuleManner::Attributes;
  using S = RuleManner::Shapes;
  std::vector<RuleManner> all;
  for (const auto& [attributes, shapes] :
       {std::pair(A::open, S::any), std::pair(A::open, S::ranks), std::pair(A::fixed, S::any),
        std::pair(A::fixed, S::ranks), std::pair(A::fixed, S::same)})
    for (const auto values : {RuleManner::Values::all, RuleManner::Values::finite})
      all.push_back({.attributes = attributes, .shapes = shapes, .values = values});
  return all;
}

std::string rule_text(const World& world, const RuleDraft& draft, const RuleManner& manner, const std::string& name) {
  return RuleWriter(world, manner).run(draft, name);
}

std::string descriptive_name(const World& world, const RuleDraft& draft) {
  return words_of(world, draft.left) + "-as-" + words_of(world, draft.right);
}

}  // namespace hone
