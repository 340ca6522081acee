#include "run/native/packed_product.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/mapped_file.h"

namespace hone::native {
namespace {

constexpr std::size_t kWeightAlignment = 64;
constexpr std::int64_t kFloatBytes = sizeof(float);

/// Gives what has been read of a file back to it, a piece at a time.
class GivesBack {
 public:
  GivesBack(const void* elements, std::int64_t line_stride)
      : bytes_(static_cast<const std::byte*>(elements)), line_bytes_(line_stride * kFloatBytes) {}

  void up_to(std::int64_t line) {
    constexpr std::int64_t kPiece = 1 << 18;
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

PackedProduct::PackedProduct(const Shape& shape) : tiles_(shape) {
  const std::size_t bytes =
      (std::max(weight_bytes(), sizeof(float)) + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
  weights_.reset(static_cast<float*>(std::aligned_alloc(kWeightAlignment, bytes)));
  if (!weights_) fail("no memory for {} bytes of packed weights", bytes);
}

void PackedProduct::pack(const Weights& weights) {
  std::fill_n(weights_.get(), tiles_.weight_floats(), 0.0F);
  const std::int64_t columns = shape().columns;
  // In the order in which they lie, so that what has been read need not stay in memory.
  GivesBack read(weights.elements, std::max(weights.column_stride, weights.depth_stride));
  if (weights.column_stride > weights.depth_stride) {
    for (const TiledProduct::Panel& panel : tiles_.panels())
      for (std::int64_t i = 0; i < panel.blocks * kProductBlock; ++i) {
        const std::int64_t column = panel.first_block * kProductBlock + i;
        if (column < columns) pack_part(weights, panel, {0, shape().depth}, {i, i + 1});
        read.up_to(std::min(column + 1, columns));
      }
  } else {
    for (std::int64_t depth = 0; depth < shape().depth; ++depth) {
      for (const TiledProduct::Panel& panel : tiles_.panels())
        pack_part(weights, panel, {depth, depth + 1},
                  {0, std::min(panel.blocks * kProductBlock, columns - panel.first_block * kProductBlock)});
      read.up_to(depth + 1);
    }
  }
  if (weights.bias == nullptr) return;
  bias_.assign(static_cast<std::size_t>(tiles_.padded_columns()), 0.0F);
  std::copy_n(weights.bias, columns, bias_.begin());
}

/// Some rows of some columns of a panel.
void PackedProduct::pack_part(const Weights& weights, const TiledProduct::Panel& panel, Span depths,
                              Span columns) const {
  const auto* const from = static_cast<const std::byte*>(weights.elements);
  for (std::int64_t depth = depths.first; depth < depths.last; ++depth) {
    float* const to = weights_.get() + tiles_.packed_at(panel, depth);
    for (std::int64_t i = columns.first; i < columns.last; ++i) {
      const std::int64_t column = panel.first_block * kProductBlock + i;
      std::memcpy(to + i, from + (depth * weights.depth_stride + column * weights.column_stride) * kFloatBytes,
                  sizeof(float));
      if (weights.factors != nullptr) to[i] *= weights.factors[column];
    }
  }
}

void PackedProduct::run(TiledProduct::Operands operands, std::int64_t first_part, std::int64_t last_part) const {
  operands.weights = weights_.get();
  operands.bias = bias_.empty() ? nullptr : bias_.data();
  tiles_.run(operands, first_part, last_part);
}

}  // namespace hone::native
