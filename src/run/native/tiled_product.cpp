#include "run/native/tiled_product.h"

#include <algorithm>

namespace hone::native {
namespace {

constexpr std::int64_t kMostDepth = 1024;                // of rows that are gone through at once
constexpr std::int64_t kSecondCacheFloats = 128 * 1024;  // half of it: weights and results need room too
constexpr std::int64_t kFewRows = 32;
constexpr std::size_t kManyPanels = 8;  // so many that shares of them are even

std::int64_t divided_up(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// Rows that may be gone through at once: where they are a page apart or so, their elements take the same few places of
/// the first cache.
std::int64_t rows_without_conflict(std::int64_t row_stride) {
  constexpr std::int64_t kPageBytes = 4096, kWays = 7;
  std::int64_t lines = 1;  // of different places before they repeat
  while (lines < 16 && row_stride * 4 * lines % kPageBytes != 0) lines *= 2;
  return lines * kWays;
}

/// About how many cycles a product takes in tiles of so many blocks of columns.
double cycles_with(const TiledProduct::Shape& shape, std::int64_t blocks) {
  const std::int64_t all_blocks = divided_up(shape.columns, kProductBlock);
  const auto of_panels = [&](std::int64_t count, std::int64_t wide) {
    if (count == 0) return 0.0;
    const std::int64_t most = std::min(kMostProductRows[wide - 1], rows_without_conflict(shape.a_row));
    const std::int64_t tiles = divided_up(shape.rows, most);
    const double rows = static_cast<double>(shape.rows) / static_cast<double>(tiles);
    const double a_step = std::max({rows * static_cast<double>(wide), static_cast<double>(wide) + rows / 2, 4.0});
    const double a_tile = 30 + 2 * rows * static_cast<double>(wide) + a_step * static_cast<double>(shape.depth);
    return static_cast<double>(count * tiles) * a_tile;
  };
  return of_panels(all_blocks / blocks, blocks) + of_panels(all_blocks % blocks == 0 ? 0 : 1, all_blocks % blocks);
}

}  // namespace

TiledProduct::TiledProduct(const Shape& shape) : shape_(shape), blocks_(divided_up(shape.columns, kProductBlock)) {
  const std::int64_t depth_steps = divided_up(shape_.depth, kMostDepth);
  depth_step_ = divided_up(divided_up(shape_.depth, depth_steps), kProductBlock) * kProductBlock;
  row_step_ = divided_up(shape_.rows, divided_up(shape_.rows * depth_step_, kSecondCacheFloats));
  choose_panels();
  // Where channels lie in blocks, whoever comes after a widening product takes channels apart, not places: what one
  // thread has written is best read by it.
  const bool widens = shape_.c_block != kProductBlock && shape_.columns >= shape_.depth;
  by_columns_ = shape_.rows < kFewRows || (widens && panels_.size() >= kManyPanels);
}

void TiledProduct::choose_panels() {
  std::int64_t best = 1;
  for (std::int64_t blocks = 2; blocks <= kMostProductBlocks; ++blocks)
    if (cycles_with(shape_, blocks) < cycles_with(shape_, best)) best = blocks;
  for (std::int64_t block = 0; block < blocks_; block += best)
    panels_.push_back({.first_block = block, .blocks = std::min(best, blocks_ - block)});
}

std::int64_t TiledProduct::depth_count(std::int64_t depth) const { return std::min(depth_step_, shape_.depth - depth); }

/// Step of depth after step, in each panel after panel, in each element after element.
std::int64_t TiledProduct::packed_at(const Panel& panel, std::int64_t depth) const {
  const std::int64_t step = depth / depth_step_ * depth_step_;
  return (step * blocks_ + depth_count(step) * panel.first_block + (depth - step) * panel.blocks) * kProductBlock;
}

void TiledProduct::pack(const Matrix& matrix, float* packed, std::int64_t first_panel, std::int64_t last_panel) const {
  for (std::int64_t i = first_panel; i < last_panel; ++i) {
    const Panel& panel = panels_[static_cast<std::size_t>(i)];
    for (std::int64_t depth = 0; depth < shape_.depth; depth += depth_step_)
      for (std::int64_t block = 0; block < panel.blocks; ++block) {
        const std::int64_t column = (panel.first_block + block) * kProductBlock;
        pack_columns({.from = matrix.elements + depth * matrix.depth_stride + column * matrix.column_stride,
                      .depth_stride = matrix.depth_stride,
                      .column_stride = matrix.column_stride,
                      .depth = depth_count(depth),
                      .columns = std::min(kProductBlock, shape_.columns - column),
                      .to = packed + packed_at(panel, depth) + block * kProductBlock,
                      .to_stride = panel.blocks * kProductBlock});
      }
  }
}

double TiledProduct::nanoseconds() const {
  constexpr double kNanoseconds = 0.02;  // of a multiplication and an addition
  return kNanoseconds * static_cast<double>(shape_.rows * shape_.depth * shape_.columns);
}

std::span<const float> TiledProduct::weights_of(const float* packed, const Piece& piece) const {
  const Panel& panel = panels_[static_cast<std::size_t>(piece.panel)];
  return {packed + packed_at(panel, piece.depth),
          static_cast<std::size_t>(depth_count(piece.depth) * panel.blocks * kProductBlock)};
}

std::span<const float> TiledProduct::first_weights(const float* packed, std::int64_t part) const {
  return weights_of(packed, {.row = 0, .depth = 0, .panel = by_columns_ ? part : 0});
}

TiledProduct::Piece TiledProduct::after(Piece piece, Span panels) const {
  if (++piece.panel < panels.last) return piece;
  piece.panel = panels.first;
  piece.depth += depth_step_;
  if (piece.depth < shape_.depth) return piece;
  return {.row = piece.row + row_step_, .depth = 0, .panel = panels.first};
}

void TiledProduct::run(const Operands& operands, std::int64_t first_part, std::int64_t last_part) const {
  const Span rows = by_columns_ ? Span{0, shape_.rows} : Span{first_part, last_part};
  const Span panels = by_columns_ ? Span{first_part, last_part} : Span{0, static_cast<std::int64_t>(panels_.size())};
  if (rows.count() == 0 || panels.count() == 0) return;
  for (Piece piece{.row = rows.first, .depth = 0, .panel = panels.first}; piece.row < rows.last;) {
    const std::int64_t count = depth_count(piece.depth);
    ProductCall call{.a = operands.a + piece.depth / kProductBlock * shape_.a_block,
                     .depth = count,
                     .weights = weights_of(operands.weights, piece).data(),
                     .bias = operands.bias,
                     .c = operands.c,
                     .adds = piece.depth > 0};
    if (piece.depth + count == shape_.depth) {
      call.finishes = operands.finishes.data();
      call.finish_count = static_cast<std::int64_t>(operands.finishes.size());
    }
    const Piece next = after(piece, panels);
    run_panel(call, panels_[static_cast<std::size_t>(piece.panel)],
              {piece.row, std::min(piece.row + row_step_, rows.last)},
              next.row < rows.last ? weights_of(operands.weights, next) : operands.next);
    piece = next;
  }
}

void TiledProduct::run_panel(ProductCall call, const Panel& panel, Span rows, std::span<const float> ahead) const {
  const std::int64_t most = std::min(kMostProductRows[panel.blocks - 1], rows_without_conflict(shape_.a_row));
  const std::int64_t tiles = divided_up(rows.count(), most);
  const bool is_end = panel.first_block + panel.blocks == blocks_;
  const float* a = call.a;
  float* c = call.c + panel.first_block * shape_.c_block;
  call.a_row = shape_.a_row, call.a_block = shape_.a_block;
  call.c_row = shape_.c_row, call.c_block = shape_.c_block;
  if (call.bias != nullptr) call.bias += panel.first_block * kProductBlock;
  call.last_columns = is_end ? shape_.columns - (blocks_ - 1) * kProductBlock : kProductBlock;
  call.fills_block = shape_.fills_blocks;
  call.first_block = panel.first_block;
  // A single tile goes through its weights as fast as memory gives them: there is no time to fetch others.
  const std::int64_t lines = tiles > 1 ? static_cast<std::int64_t>(ahead.size()) / kProductBlock : 0;
  const std::int64_t depth_blocks = divided_up(call.depth, kProductBlock);
  call.ahead_lines = std::min(divided_up(lines, tiles * depth_blocks), kProductBlock);
  const std::int64_t least = rows.count() / tiles;  // of rows; some tiles have one more
  const ProductFunction functions[] = {product_function(least, panel.blocks),
                                       product_function(std::min(least + 1, most), panel.blocks)};
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = rows.first + rows.count() * tile / tiles,
                       last = rows.first + rows.count() * (tile + 1) / tiles;
    call.a = a + first * shape_.a_row;
    call.c = c + first * shape_.c_row;
    call.first_row = first;
    call.ahead = ahead.data() + tile * depth_blocks * call.ahead_lines * kProductBlock;
    functions[last - first - least](call);
  }
}

}  // namespace hone::native
