#include "run/native/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "run/native/transpose.h"

namespace hone::native {
namespace {

/// Both sides follow one another.
void copy_lines(const float* from, float* to, std::int64_t rows, std::int64_t columns, std::int64_t from_row,
                std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(to + r * to_row, from + r * from_row, static_cast<std::size_t>(columns) * sizeof(float));
}

/// Lines that alternate in the target.
template <std::int64_t lines>
void interleave(const float* __restrict from, std::int64_t line, float* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < lines; ++k) to[lines * i + k] = from[k * line + i];
}

}  // namespace

std::optional<StridedCopy> StridedCopy::of(const LoopNest& nest) {
  const bool moves =
      nest.code.size() == 1 && nest.code[0].op == LoopOp::load && nest.stores.size() == 1 && nest.operands.size() == 2;
  if (!moves) return std::nullopt;
  const LoopOperand& from = nest.operands[nest.code[0].operand];
  const LoopOperand& to = nest.operands[nest.stores[0].operand];
  if (from.element != ElementType::float32 || to.element != ElementType::float32) return std::nullopt;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < nest.extents.size(); ++i)
    if (nest.extents[i] != 1) axes.push_back({.extent = nest.extents[i], .from = from.strides[i], .to = to.strides[i]});
  StridedCopy copy;
  const auto take = [&](auto better) -> Axis {
    if (axes.empty()) return {};
    const auto best = std::ranges::min_element(axes, better);
    const Axis taken = *best;
    axes.erase(best);
    return taken;
  };
  copy.columns_ = take([](const Axis& a, const Axis& b) { return a.to < b.to; });
  // Across the columns go the elements that follow one another in the source, or else a long axis.
  copy.rows_ = take([](const Axis& a, const Axis& b) {
    return std::pair(a.from != 1, -a.extent) < std::pair(b.from != 1, -b.extent);
  });
  copy.outer_ = axes;
  copy.cut_into_pieces();
  for (const Axis& axis : axes) copy.parts_ *= axis.extent;
  return copy;
}

/// Along the longer of rows and columns, whole lines of memory each.
void StridedCopy::cut_into_pieces() {
  constexpr std::int64_t kPieceElements = 4096, kLine = 64;
  piece_rows_ = rows_.extent;
  piece_columns_ = columns_.extent;
  const bool by_rows = rows_.extent >= columns_.extent;
  const std::int64_t across = std::max<std::int64_t>(by_rows ? columns_.extent : rows_.extent, 1);
  std::int64_t& piece = by_rows ? piece_rows_ : piece_columns_;
  const std::int64_t length = piece;
  piece = std::max<std::int64_t>(std::min(length, (kPieceElements / across + kLine - 1) / kLine * kLine), 1);
  parts_ = (length + piece - 1) / piece;
}

void StridedCopy::run(const void* source, void* target, std::int64_t first, std::int64_t last) const {
  const std::int64_t row_pieces = (rows_.extent + piece_rows_ - 1) / piece_rows_,
                     column_pieces = (columns_.extent + piece_columns_ - 1) / piece_columns_;
  const std::int64_t pieces = row_pieces * column_pieces;
  std::int64_t piece = first % pieces, outer = first / pieces, from = 0, to = 0;
  const auto find_outer = [&] {
    from = to = 0;
    std::int64_t rest = outer;
    for (std::size_t i = outer_.size(); i-- > 0; rest /= outer_[i].extent) {
      const std::int64_t index = i > 0 ? rest % outer_[i].extent : rest;
      from += index * outer_[i].from;
      to += index * outer_[i].to;
    }
  };
  if (first < last) find_outer();
  for (std::int64_t part = first; part < last; ++part) {
    const std::int64_t row = row_pieces == 1 ? 0 : piece % row_pieces * piece_rows_,
                       column = column_pieces == 1 ? 0 : piece / row_pieces * piece_columns_;
    run_piece(static_cast<const float*>(source) + from + row * rows_.from + column * columns_.from,
              static_cast<float*>(target) + to + row * rows_.to + column * columns_.to,
              std::min(piece_rows_, rows_.extent - row), std::min(piece_columns_, columns_.extent - column));
    if (++piece < pieces) continue;
    piece = 0;
    ++outer;
    find_outer();
  }
}

void StridedCopy::run_piece(const float* from, float* to, std::int64_t rows, std::int64_t columns) const {
  if (columns_.from == 1 && columns_.to == 1) return copy_lines(from, to, rows, columns, rows_.from, rows_.to);
  const bool alternates = columns_.to == 1 && rows_.from == 1 && rows_.to == columns;
  if (alternates && columns == 2) return interleave<2>(from, columns_.from, to, rows);
  if (alternates && columns == 3) return interleave<3>(from, columns_.from, to, rows);
  if (columns_.to == 1 && rows_.from == 1 && columns_.extent >= 4)
    return transpose_strips(from, columns_.from, to, rows_.to, rows, columns);
  constexpr std::int64_t kSquare = 16;
  for (std::int64_t row = 0; row < rows; row += kSquare)
    for (std::int64_t column = 0; column < columns; column += kSquare) {
      const std::int64_t row_end = std::min(row + kSquare, rows), end = std::min(column + kSquare, columns);
      for (std::int64_t r = row; r < row_end; ++r)
        for (std::int64_t c = column; c < end; ++c)
          to[r * rows_.to + c * columns_.to] = from[r * rows_.from + c * columns_.from];
    }
}

}  // namespace hone::native
