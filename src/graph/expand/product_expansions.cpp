#include "graph/expand/expansion.h"

// Products of matrices with something around them.

namespace hone {
namespace {

/// A product with factors other than 1, or with something added that is not a row of constants.
bool expand_gemm(Expansion& expansion) {
  const double alpha = expansion.number("alpha"), beta = expansion.number("beta");
  if (!is_floating(expansion.element(0)) || expansion.opset() < 7) return false;
  const bool adds = expansion.has_input(2) && beta != 0;
  const Tensor* added = expansion.constant(2);
  const bool adds_row = added != nullptr && added->rank() > 0 && beta == 1 &&
                        added->dim(added->rank() - 1) == static_cast<std::int64_t>(added->count());
  if (alpha == 1 && (!adds || adds_row)) return false;
  const auto operand = [&](std::size_t slot, std::string_view flag) {
    if (expansion.integer(flag) == 0) return expansion.input(slot);
    return expansion.add("Transpose", {expansion.input(slot)}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  };
  const auto scaled = [&](ValueId x, double factor) {
    return factor == 1 ? x : expansion.add("Mul", {x, expansion.like(0, factor)});
  };
  ValueId result = scaled(expansion.add("MatMul", {operand(0, "transA"), operand(1, "transB")}), alpha);
  if (adds) result = expansion.add("Add", {result, scaled(expansion.input(2), beta)});
  expansion.become(0, result);
  return true;
}

const ExpansionFamily product_expansions({{"Gemm", expand_gemm}});

}  // namespace
}  // namespace hone
