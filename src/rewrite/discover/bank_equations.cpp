#include <algorithm>

#include "rewrite/discover/bank.h"

// Classes of a bank: what equations make equal.

namespace hone {

FormulaBank::ClassId FormulaBank::find(ClassId id) const {
  while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
  return id;
}

std::size_t FormulaBank::arity(const Recipe& recipe) const {
  return recipe.op == Formula::kInput ? 0 : world_.menu[recipe.op].operands.size();
}

FormulaBank::Recipe FormulaBank::canonical(Recipe recipe) const {
  for (std::size_t i = 0; i < arity(recipe); ++i) recipe.operands[i] = find(recipe.operands[i]);
  return recipe;
}

/// The simpler of the two stays; false when they were one already.
bool FormulaBank::unite(ClassId a, ClassId b) {
  a = find(a);
  b = find(b);
  if (a == b || classes_[a].fingerprint != classes_[b].fingerprint) return false;
  if (std::pair(classes_[b].size, b) < std::pair(classes_[a].size, a)) std::swap(a, b);
  parents_[b] = a;
  auto &kept = classes_[a].recipes, &joined = classes_[b].recipes;
  kept.insert(kept.end(), joined.begin(), joined.end());
  joined.clear();
  return true;
}

/// Recipes over equal operands are equal, as long as that makes more of them so.
void FormulaBank::close() {
  for (bool changed = true; changed;) {
    changed = false;
    std::unordered_map<Recipe, ClassId, RecipeHash> known;
    std::vector<std::pair<ClassId, ClassId>> equal;
    for (ClassId id = 0; id < classes_.size(); ++id) {
      if (find(id) != id) continue;
      std::vector<Recipe> recipes;
      for (const Recipe& old : classes_[id].recipes) {
        const Recipe recipe = canonical(old);
        const auto [place, added] = known.emplace(recipe, id);
        if (added) recipes.push_back(recipe);
        else if (place->second != id) equal.emplace_back(place->second, id);
      }
      classes_[id].recipes = std::move(recipes);
    }
    known_ = std::move(known);
    for (const auto& [a, b] : equal) changed = unite(a, b) || changed;
  }
}

void FormulaBank::take(const Equation& equation) {
  taken_.push_back(equation);
  const auto apply_both = [&](const Equation& each) {
    const bool forward = apply(each.left, each.right);
    return apply(each.right, each.left) || forward;
  };
  constexpr int kRounds = 2;  // what takes longer to follow is a candidate once more, and kept as a rule
  bool changed = apply_both(equation);
  for (int round = 0; round < kRounds && changed; ++round) {
    close();
    changed = false;
    for (const Equation& each : taken_) changed = apply_both(each) || changed;
  }
  if (changed) close();
}

/// Makes every instance of one side equal to that of the other, where both are in the bank.
bool FormulaBank::apply(const Formula& from, const Formula& to) {
  if (from.is_input()) return false;
  const std::set<std::uint32_t> given = inputs_of(from), needed = inputs_of(to);
  if (!std::ranges::includes(given, needed)) return false;
  std::vector<std::pair<ClassId, ClassId>> equal;
  Binding none;
  none.fill(kUnbound);
  for (ClassId id = 0; id < classes_.size(); ++id) {
    if (find(id) != id) continue;
    for (const Recipe& recipe : classes_[id].recipes)
      for (const Binding& binding : match(from, recipe, none))
        if (const std::optional<ClassId> other = look_up(to, binding)) equal.emplace_back(id, *other);
  }
  bool changed = false;
  for (const auto& [a, b] : equal) changed = unite(a, b) || changed;
  return changed;
}

std::vector<FormulaBank::Binding> FormulaBank::match(const Formula& pattern, ClassId id, const Binding& bound) const {
  id = find(id);
  if (pattern.is_input()) {
    if (classes_[id].sort != world_.inputs[pattern.input].sort) return {};
    if (bound[pattern.input] != kUnbound)
      return bound[pattern.input] == id ? std::vector<Binding>{bound} : std::vector<Binding>();
    Binding more = bound;
    more[pattern.input] = id;
    return {std::move(more)};
  }
  std::vector<Binding> found;
  for (const Recipe& recipe : classes_[id].recipes) {
    std::vector<Binding> more = match(pattern, recipe, bound);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

std::vector<FormulaBank::Binding> FormulaBank::match(const Formula& pattern, const Recipe& recipe,
                                                     const Binding& bound) const {
  if (recipe.op != pattern.op || recipe.part != pattern.part) return {};
  std::vector<Binding> found = {bound};
  for (std::size_t i = 0; i < pattern.operands.size(); ++i) {
    std::vector<Binding> more;
    for (const Binding& binding : found) {
      const std::vector<Binding> longer = match(pattern.operands[i], recipe.operands[i], binding);
      more.insert(more.end(), longer.begin(), longer.end());
    }
    found = std::move(more);
  }
  return found;
}

std::optional<FormulaBank::ClassId> FormulaBank::look_up(const Formula& formula, const Binding& bound) const {
  if (formula.is_input()) return find(bound[formula.input]);
  Recipe recipe{.op = formula.op, .part = formula.part, .operands = {}};
  for (std::size_t i = 0; i < formula.operands.size(); ++i) {
    const std::optional<ClassId> operand = look_up(formula.operands[i], bound);
    if (!operand) return std::nullopt;
    recipe.operands[i] = *operand;
  }
  const auto found = known_.find(recipe);
  return found != known_.end() ? std::optional(find(found->second)) : std::nullopt;
}

}  // namespace hone
