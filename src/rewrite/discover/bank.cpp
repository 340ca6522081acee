#include "rewrite/discover/bank.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "rewrite/discover/operator_run.h"

namespace hone {
namespace {

/// Zeros of both signs count as one.
std::uint64_t fingerprint_of(const Tensor& tensor, TensorSort sort) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(sort), tensor.rank());
  for (const std::int64_t dim : tensor.dims()) hash = mix(hash, static_cast<std::uint64_t>(dim));
  for (std::size_t i = 0; i < tensor.count(); ++i)
    hash = mix(hash, std::bit_cast<std::uint64_t>(tensor.number_at(i) + 0.0));
  return hash;
}

}  // namespace

std::size_t FormulaBank::RecipeHash::operator()(const Recipe& recipe) const {
  return mix(mix(recipe.op, recipe.part), mix(recipe.operands[0], recipe.operands[1]));
}

FormulaBank::FormulaBank(const World& world) : world_(world) {
  HONE_CHECK(world.inputs.size() <= kMostInputs, "{} inputs", world.inputs.size());
  for (std::uint32_t i = 0; i < world.inputs.size(); ++i) {
    const WorldInput& input = world.inputs[i];
    Class made{.value = input.tensor,
               .sort = input.sort,
               .pieces = {},
               .fingerprint = fingerprint_of(input.tensor, input.sort),
               .size = 0,
               .simplest = {.op = Formula::kInput, .part = 0, .operands = {i, 0}},
               .recipes = {}};
    for (std::size_t axis = 0; axis < input.tensor.rank(); ++axis) made.pieces.push_back({{i, axis}});
    made.recipes = {made.simplest};
    known_.emplace(made.simplest, i);
    classes_.push_back(std::move(made));
    parents_.push_back(i);
  }
}

// Making formulas
// -------------------------------------------------------------------------------------------------------------------

void FormulaBank::grow(std::size_t size, const Deadline& deadline) {
  std::vector<std::vector<ClassId>> by_size(size);
  for (ClassId id = 0; id < classes_.size(); ++id)
    if (find(id) == id && classes_[id].size < size) by_size[classes_[id].size].push_back(id);
  for (std::uint32_t op = 0; op < world_.menu.size(); ++op) {
    const MenuOperator& entry = world_.menu[op];
    if (entry.operands.size() == 1) {
      for (const ClassId id : by_size[size - 1])
        if (deadline.is_over()) return;
        else if (entry.is("Split")) add_split(op, id, size);
        else if (fits(entry, std::span(&id, 1))) add({.op = op, .part = 0, .operands = {id, 0}}, size);
      continue;
    }
    for (std::size_t first = 0; first < size; ++first)
      for (const ClassId a : by_size[first])
        for (const ClassId b : by_size[size - 1 - first]) {
          if (deadline.is_over()) return;
          const std::array<ClassId, 2> operands = {a, b};
          if (fits(entry, operands)) add({.op = op, .part = 0, .operands = operands}, size);
        }
  }
}

bool FormulaBank::fits(const MenuOperator& entry, std::span<const ClassId> operands) const {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (classes_[operands[i]].sort != entry.operands[i]) return false;
  if (operands.size() == 1) return true;
  const Dims &a = classes_[operands[0]].value.dims(), &b = classes_[operands[1]].value.dims();
  if (entry.is("MatMul")) return a[1] == b[0];
  if (entry.is("Conv")) return a[1] == b[1];
  if (!entry.is("Concat")) return a == b;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i != entry.axis && a[i] != b[i]) return false;
  return true;
}

void FormulaBank::add_class(const Recipe& recipe, Tensor value, std::size_t size) {
  std::vector<std::vector<Pieces>> operands;
  for (std::size_t i = 0; i < arity(recipe); ++i) operands.push_back(classes_[recipe.operands[i]].pieces);
  const MenuOperator& entry = world_.menu[recipe.op];
  const auto id = static_cast<ClassId>(classes_.size());
  const std::uint64_t fingerprint = fingerprint_of(value, entry.result);
  classes_.push_back({.value = std::move(value),
                      .sort = entry.result,
                      .pieces = pieces_of(entry, recipe.part, operands),
                      .fingerprint = fingerprint,
                      .size = size,
                      .simplest = recipe,
                      .recipes = {recipe}});
  known_.emplace(recipe, id);
  parents_.push_back(id);
}

void FormulaBank::add(const Recipe& recipe, std::size_t size) {
  if (known_.contains(recipe)) return;
  const MenuOperator& entry = world_.menu[recipe.op];
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < arity(recipe); ++i) inputs.push_back(classes_[recipe.operands[i]].value);
  add_class(recipe, run_operator(entry.op, entry.attributes, inputs, 1)[0], size);
}

/// Where an axis was joined from two pieces, Split takes them apart again.
void FormulaBank::add_split(std::uint32_t op, ClassId operand, std::size_t size) {
  const MenuOperator& entry = world_.menu[op];
  if (!fits(entry, std::span(&operand, 1)) || classes_[operand].pieces[entry.axis].size() != 2) return;
  if (known_.contains({.op = op, .part = 0, .operands = {operand, 0}})) return;
  DimList sizes;
  for (const auto& [input, axis] : classes_[operand].pieces[entry.axis])
    sizes.push_back(world_.inputs[input].tensor.dim(axis));
  NamedTerms attributes = entry.attributes;
  attributes.emplace_back("split", sizes);
  const std::vector<Tensor> parts = run_operator(entry.op, attributes, std::span(&classes_[operand].value, 1), 2);
  for (std::uint32_t part = 0; part < 2; ++part)
    add_class({.op = op, .part = part, .operands = {operand, 0}}, parts[part], size);
}

std::size_t FormulaBank::class_count() const {
  std::size_t count = 0;
  for (ClassId id = 0; id < classes_.size(); ++id) count += find(id) == id ? 1 : 0;
  return count;
}

Formula FormulaBank::formula(const Recipe& recipe) const {
  if (recipe.op == Formula::kInput)
    return {.op = Formula::kInput, .part = 0, .input = recipe.operands[0], .operands = {}};
  Formula made{.op = recipe.op, .part = recipe.part, .input = 0, .operands = {}};
  for (std::size_t i = 0; i < arity(recipe); ++i) made.operands.push_back(formula(recipe.operands[i]));
  return made;
}

Formula FormulaBank::formula(ClassId id) const { return formula(classes_[find(id)].simplest); }

// What agrees
// -------------------------------------------------------------------------------------------------------------------

std::vector<Equation> FormulaBank::candidates() const {
  constexpr std::size_t kMost = 5;  // members of one group that are compared with each other
  std::map<std::uint64_t, std::vector<ClassId>> groups;
  for (ClassId id = 0; id < classes_.size(); ++id)
    if (find(id) == id) groups[classes_[id].fingerprint].push_back(id);
  std::vector<std::pair<std::array<std::size_t, 5>, Equation>> found;
  for (auto& [fingerprint, ids] : groups) {
    if (ids.size() < 2) continue;
    std::ranges::stable_sort(ids, {}, [&](ClassId id) { return classes_[id].size; });
    ids.resize(std::min(ids.size(), kMost));
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t j = i + 1; j < ids.size(); ++j) {
        const std::size_t small = classes_[ids[i]].size, large = classes_[ids[j]].size;
        Equation equation{formula(ids[j]), formula(ids[i])};
        const std::size_t equal_inputs = world_.inputs.size() - inputs_of(equation.left).size();
        found.push_back({{small + large, large, equal_inputs, ids[i], ids[j]}, std::move(equation)});
      }
  }
  std::ranges::sort(found, {}, [](const auto& pair) { return pair.first; });
  std::vector<Equation> equations;
  for (auto& [order, equation] : found) equations.push_back(std::move(equation));
  return equations;
}

std::vector<SplitPair> FormulaBank::split_pairs() const {
  std::vector<SplitPair> pairs;
  for (ClassId id = 0; id < classes_.size(); ++id) {
    if (find(id) != id) continue;
    for (const Recipe& recipe : classes_[id].recipes) {
      if (recipe.op == Formula::kInput || recipe.part != 0 || !world_.menu[recipe.op].is("Split")) continue;
      const auto other = known_.find(canonical({.op = recipe.op, .part = 1, .operands = recipe.operands}));
      if (other == known_.end()) continue;
      SplitPair pair{
          .whole = formula(recipe.operands[0]), .op = recipe.op, .parts = {formula(id), formula(other->second)}};
      const bool without_split = std::ranges::none_of(
          pair.parts, [&](const Formula& part) { return !part.is_input() && world_.menu[part.op].is("Split"); });
      if (without_split) pairs.push_back(std::move(pair));
    }
  }
  std::ranges::stable_sort(pairs, {}, [](const SplitPair& pair) { return size_of(pair.whole); });
  return pairs;
}

}  // namespace hone
