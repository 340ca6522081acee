#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "rewrite/discover/world.h"

namespace hone {

/// How a tensor is computed: an input of the world, or an operator of its menu over other formulas. Split makes two
/// tensors, of which `part` says which.
struct Formula {
  static constexpr std::uint32_t kInput = 0xffffffff;

  std::uint32_t op = kInput;
  std::uint32_t part = 0;
  std::uint32_t input = 0;
  std::vector<Formula> operands;

  bool is_input() const { return op == kInput; }
  friend bool operator==(const Formula&, const Formula&) = default;
};

/// Operators of a formula, counted as often as they are written.
std::size_t size_of(const Formula& formula);

/// Inputs that the formula reads.
std::set<std::uint32_t> inputs_of(const Formula& formula);

/// Whether `part` is the formula or stands somewhere in it.
bool contains(const Formula& formula, const Formula& part);

/// The formula with its inputs renumbered in the order in which they are met; inputs keep their sort.
class InputOrder {
 public:
  explicit InputOrder(const World& world) : world_(world), numbers_(world.inputs.size(), Formula::kInput) {}
  Formula renumber(const Formula& formula);

 private:
  const World& world_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace hone
