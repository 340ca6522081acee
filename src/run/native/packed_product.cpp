#include "run/native/packed_product.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/mapped_file.h"

namespace hone::native {
namespace {

constexpr std::int64_t kMostDepth = 1024;                // of rows that are gone through at once
constexpr std::int64_t kSecondCacheFloats = 128 * 1024;  // half of it: weights and results need room too
constexpr std::int64_t kFewRows = 32;
constexpr std::size_t kManyPanels = 8;  // so many that shares of them are even
constexpr std::size_t kWeightAlignment = 64;
constexpr std::int64_t kFloatBytes = sizeof(float);

std::int64_t divided_up(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// Rows that may be gone through at once: where they are a page apart or so, their elements take the same few places of
/// the first cache.
std::int64_t rows_without_conflict(std::int64_t row_stride) {
  constexpr std::int64_t kPage = 4096, kWays = 7;
  std::int64_t lines = 1;  // of different places before they repeat
  while (lines < 16 && row_stride * 4 * lines % kPage != 0) lines *= 2;
  return lines * kWays;
}

/// About how many cycles a product takes in tiles of so many blocks of columns.
double cycles_with(const PackedProduct::Shape& shape, std::int64_t blocks) {
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

/// Gives what has been read of a file back to it, a piece at a time.
class GivesBack {
 public:
  GivesBack(const void* elements, std::int64_t line_stride)
      : bytes_(static_cast<const std::byte*>(elements)), line_bytes_(line_stride * kFloatBytes) {}

  void up_to(std::int64_t line) {
    constexpr std::int64_t kPiece = 1 << 20;
    const std::int64_t end = line * line_bytes_;
    if (end - first_ < kPiece) return;
    MappedFile::unload({bytes_ + first_, static_cast<std::size_t>(end - first_)});
    first_ = end;
  }

 private:
  const std::byte* bytes_;
  std::int64_t line_bytes_, first_ = 0;
};

}  // namespace

void PackedProduct::Free::operator()(float* memory) const { std::free(memory); }

PackedProduct::PackedProduct(const Shape& shape) : shape_(shape), blocks_(divided_up(shape.columns, kProductBlock)) {
  const std::int64_t depth_steps = divided_up(shape_.depth, kMostDepth);
  depth_step_ = divided_up(divided_up(shape_.depth, depth_steps), kProductBlock) * kProductBlock;
  row_step_ = divided_up(shape_.rows, divided_up(shape_.rows * depth_step_, kSecondCacheFloats));
  choose_panels();
  // Where channels lie in blocks, whoever comes after a widening product takes channels apart, not places: what one
  // thread has written is best read by it.
  const bool widens = shape_.c_block != kProductBlock && shape_.columns >= shape_.depth;
  by_columns_ = shape_.rows < kFewRows || (widens && panels_.size() >= kManyPanels);
}

void PackedProduct::choose_panels() {
  std::int64_t best = 1;
  for (std::int64_t blocks = 2; blocks <= kMostProductBlocks; ++blocks)
    if (cycles_with(shape_, blocks) < cycles_with(shape_, best)) best = blocks;
  for (std::int64_t block = 0; block < blocks_; block += best)
    panels_.push_back({.first_block = block, .blocks = std::min(best, blocks_ - block)});
}

/// Step of depth after step, in each panel after panel, in each element after element.
float* PackedProduct::packed(std::int64_t depth, std::int64_t depth_count, const Panel& panel) const {
  return weights_.get() + (depth * blocks_ + depth_count * panel.first_block) * kProductBlock;
}

void PackedProduct::pack(const Weights& weights) {
  const auto floats = static_cast<std::size_t>(shape_.depth * blocks_ * kProductBlock);
  const std::size_t bytes =
      (std::max<std::size_t>(floats, 1) * sizeof(float) + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
  weights_.reset(static_cast<float*>(std::aligned_alloc(kWeightAlignment, bytes)));
  if (!weights_) fail("no memory for {} bytes of packed weights", bytes);
  std::fill_n(weights_.get(), floats, 0.0F);
  // In the order in which they lie, so that what has been read need not stay in memory.
  GivesBack read(weights.elements, std::max(weights.column_stride, weights.depth_stride));
  if (weights.column_stride > weights.depth_stride) {
    for (const Panel& panel : panels_)
      for (std::int64_t i = 0; i < panel.blocks * kProductBlock; ++i) {
        const std::int64_t column = panel.first_block * kProductBlock + i;
        if (column < shape_.columns) pack_part(weights, panel, {0, shape_.depth}, {i, i + 1});
        read.up_to(std::min(column + 1, shape_.columns));
      }
  } else {
    for (std::int64_t depth = 0; depth < shape_.depth; ++depth) {
      for (const Panel& panel : panels_)
        pack_part(weights, panel, {depth, depth + 1},
                  {0, std::min(panel.blocks * kProductBlock, shape_.columns - panel.first_block * kProductBlock)});
      read.up_to(depth + 1);
    }
  }
  if (weights.bias == nullptr) return;
  bias_.assign(static_cast<std::size_t>(blocks_ * kProductBlock), 0.0F);
  std::copy_n(weights.bias, shape_.columns, bias_.begin());
}

/// Some rows of some columns of a panel.
void PackedProduct::pack_part(const Weights& weights, const Panel& panel, Span depths, Span columns) const {
  const auto* const from = static_cast<const std::byte*>(weights.elements);
  for (std::int64_t depth = depths.first; depth < depths.last; ++depth) {
    const std::int64_t step = depth / depth_step_ * depth_step_;
    float* const to =
        packed(step, std::min(depth_step_, shape_.depth - step), panel) + (depth - step) * panel.blocks * kProductBlock;
    for (std::int64_t i = columns.first; i < columns.last; ++i) {
      const std::int64_t column = panel.first_block * kProductBlock + i;
      std::memcpy(to + i, from + (depth * weights.depth_stride + column * weights.column_stride) * kFloatBytes,
                  sizeof(float));
    }
  }
}

double PackedProduct::nanoseconds() const {
  constexpr double kNanoseconds = 0.02;  // of a multiplication and an addition
  return kNanoseconds * static_cast<double>(shape_.rows * shape_.depth * shape_.columns);
}

void PackedProduct::run(const float* a, float* c, std::span<const ProductFinish> finishes, std::int64_t first_part,
                        std::int64_t last_part) const {
  const Span rows = by_columns_ ? Span{0, shape_.rows} : Span{first_part, last_part};
  const Span panels = by_columns_ ? Span{first_part, last_part} : Span{0, static_cast<std::int64_t>(panels_.size())};
  for (std::int64_t row = rows.first; row < rows.last; row += row_step_)
    for (std::int64_t depth = 0; depth < shape_.depth; depth += depth_step_) {
      const std::int64_t count = std::min(depth_step_, shape_.depth - depth);
      const bool is_last = depth + count == shape_.depth;
      for (std::int64_t i = panels.first; i < panels.last; ++i) {
        const Panel& panel = panels_[static_cast<std::size_t>(i)];
        ProductCall call{.a = a + depth / kProductBlock * shape_.a_block, .depth = count, .c = c, .adds = depth > 0};
        call.weights = packed(depth, count, panel);
        if (is_last) call.finishes = finishes.data(), call.finish_count = static_cast<std::int64_t>(finishes.size());
        run_panel(call, panel, {row, std::min(row + row_step_, rows.last)});
      }
    }
}

void PackedProduct::run_panel(ProductCall call, const Panel& panel, Span rows) const {
  const std::int64_t most = std::min(kMostProductRows[panel.blocks - 1], rows_without_conflict(shape_.a_row));
  const std::int64_t tiles = divided_up(rows.count(), most);
  const bool is_end = panel.first_block + panel.blocks == blocks_;
  const float* a = call.a;
  float* c = call.c + panel.first_block * shape_.c_block;
  call.a_row = shape_.a_row, call.a_block = shape_.a_block;
  call.c_row = shape_.c_row, call.c_block = shape_.c_block;
  call.bias = bias_.empty() ? nullptr : bias_.data() + panel.first_block * kProductBlock;
  call.last_columns = is_end ? shape_.columns - (blocks_ - 1) * kProductBlock : kProductBlock;
  call.fills_block = shape_.fills_blocks;
  call.first_block = panel.first_block;
  const std::int64_t least = rows.count() / tiles;  // of rows; some tiles have one more
  const ProductFunction functions[] = {product_function(least, panel.blocks),
                                       product_function(std::min(least + 1, most), panel.blocks)};
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = rows.first + rows.count() * tile / tiles,
                       last = rows.first + rows.count() * (tile + 1) / tiles;
    call.a = a + first * shape_.a_row;
    call.c = c + first * shape_.c_row;
    call.first_row = first;
    functions[last - first - least](call);
  }
}

}  // namespace hone::native
