#include "rewrite/discover/pieces.h"

namespace hone {

std::vector<Pieces> pieces_of(const MenuOperator& entry, std::uint32_t part,
                              const std::vector<std::vector<Pieces>>& operands) {
  std::vector<Pieces> pieces = operands[0];
  if (entry.is("Transpose")) std::swap(pieces[0], pieces[1]);
  if (entry.is("Split")) pieces[entry.axis] = {pieces[entry.axis][part]};
  if (entry.is("MatMul")) pieces[1] = operands[1][1];
  if (entry.is("Conv")) pieces[1] = operands[1][0];
  if (entry.is("Concat")) {
    const Pieces& more = operands[1][entry.axis];
    pieces[entry.axis].insert(pieces[entry.axis].end(), more.begin(), more.end());
  }
  return pieces;
}

std::vector<Pieces> pieces_of(const World& world, const Formula& formula) {
  if (formula.is_input()) {
    std::vector<Pieces> pieces;
    for (std::size_t axis = 0; axis < world.inputs[formula.input].tensor.rank(); ++axis)
      pieces.push_back({{formula.input, axis}});
    return pieces;
  }
  std::vector<std::vector<Pieces>> operands;
  for (const Formula& operand : formula.operands) operands.push_back(pieces_of(world, operand));
  return pieces_of(world.menu[formula.op], formula.part, operands);
}

}  // namespace hone
