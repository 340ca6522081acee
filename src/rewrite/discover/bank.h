#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "rewrite/discover/pieces.h"

namespace hone {

/// An equation between formulas whose inputs stand for anything of their sort.
struct Equation {
  Formula left, right;
};

/// Two tensors that one Split makes, each computed without it as well.
struct SplitPair {
  Formula whole;                 // what is split
  std::uint32_t op = 0;          // the Split
  std::array<Formula, 2> parts;  // how else they are computed
};

/// Formulas over a world in classes that equations made equal so far, each run once on the inputs of the world.
/// Formulas of the next size are made from the simplest member of each class only: the others follow.
class FormulaBank {
 public:
  explicit FormulaBank(const World& world);

  /// Adds all formulas of that many operators over those that are there, as far as there is time.
  void grow(std::size_t size, const Deadline& deadline);
  std::size_t class_count() const;

  /// Pairs of classes that compute the same here although no equation says so, as their simplest members, those of
  /// fewer operators first.
  std::vector<Equation> candidates() const;
  /// What merging by one operation and a Split could give.
  std::vector<SplitPair> split_pairs() const;

  /// Takes the equation to hold, and with it all that follows from it and those taken before.
  void take(const Equation& equation);

 private:
  using ClassId = std::uint32_t;

  struct Recipe {
    std::uint32_t op = Formula::kInput;
    std::uint32_t part = 0;
    std::array<ClassId, 2> operands = {};  // of an input its number
    friend bool operator==(const Recipe&, const Recipe&) = default;
  };
  struct RecipeHash {
    std::size_t operator()(const Recipe& recipe) const;
  };
  struct Class {
    Tensor value;
    TensorSort sort = TensorSort::matrix;
    std::vector<Pieces> pieces;  // by axis
    std::uint64_t fingerprint = 0;
    std::size_t size = 0;  // operators of the simplest member
    Recipe simplest;
    std::vector<Recipe> recipes;
  };
  static constexpr ClassId kUnbound = 0xffffffff;
  static constexpr std::size_t kMostInputs = 6;
  using Binding = std::array<ClassId, kMostInputs>;  // by input of a formula

  ClassId find(ClassId id) const;
  std::size_t arity(const Recipe& recipe) const;
  Recipe canonical(Recipe recipe) const;
  void add(const Recipe& recipe, std::size_t size);
  void add_split(std::uint32_t op, ClassId operand, std::size_t size);
  void add_class(const Recipe& recipe, Tensor value, std::size_t size);
  bool fits(const MenuOperator& entry, std::span<const ClassId> operands) const;
  Formula formula(ClassId id) const;
  Formula formula(const Recipe& recipe) const;
  bool unite(ClassId a, ClassId b);
  void close();
  bool apply(const Formula& from, const Formula& to);
  std::vector<Binding> match(const Formula& pattern, ClassId id, const Binding& bound) const;
  std::vector<Binding> match(const Formula& pattern, const Recipe& recipe, const Binding& bound) const;
  std::optional<ClassId> look_up(const Formula& formula, const Binding& bound) const;

  const World& world_;
  std::vector<Class> classes_;
  mutable std::vector<ClassId> parents_;
  std::unordered_map<Recipe, ClassId, RecipeHash> known_;
  std::vector<Equation> taken_;
};

}  // namespace hone
