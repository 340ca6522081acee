#include "run/native/computed_product.h"

#include <algorithm>

#include "graph/ops/axes.h"
#include "run/native/threads.h"

namespace hone::native {
namespace {

constexpr std::size_t kPackedAlignment = 64;

std::int64_t rows_of_view(const LoopView& view) { return view.dims[view.dims.size() - 2]; }
std::int64_t columns_of_view(const LoopView& view) { return view.dims[view.dims.size() - 1]; }
/// Along an axis of one element any stride will do.
std::int64_t row_stride_of(const LoopView& view) { return view.strides[view.dims.size() - 2]; }

TiledProduct::Shape shape_of_product(const ComputedProduct::Matrices& matrices) {
  return {.rows = rows_of_view(matrices.c.view),
          .depth = columns_of_view(matrices.a.view),
          .columns = columns_of_view(matrices.c.view),
          .a_row = row_stride_of(matrices.a.view),
          .c_row = row_stride_of(matrices.c.view)};
}

/// Axes above rows and columns, with those that a stack does not have.
Dims stack_strides(const LoopView& view, std::size_t axes) {
  Dims strides(axes, 0);
  const std::size_t own = view.dims.size() - 2;
  for (std::size_t i = 0; i < own; ++i) strides[axes - own + i] = view.dims[i] == 1 ? 0 : view.strides[i];
  return strides;
}

}  // namespace

bool has_rows(const LoopView& view) {
  return !view.has_blocks && (columns_of_view(view) == 1 || view.strides[view.dims.size() - 1] == 1);
}

ComputedProduct::ComputedProduct(const Matrices& matrices, Bias bias, std::vector<ProductStep::Finish> finishes)
    : tiles_(shape_of_product(matrices)),
      a_(matrices.a.place()),
      b_(matrices.b.place()),
      c_(matrices.c.place()),
      depth_stride_(row_stride_of(matrices.b.view)),
      column_stride_(matrices.b.view.strides[matrices.b.view.dims.size() - 1]),
      bias_(std::move(bias)),
      finishes_(std::move(finishes)) {
  if (!bias_.empty()) bias_.resize(static_cast<std::size_t>(tiles_.padded_columns()));
  const Dims& dims = matrices.c.view.dims;
  Dims stack;
  for (std::size_t axis = 0; axis + 2 < dims.size(); ++axis) stack.push_back(dims[axis]);
  const Dims a = stack_strides(matrices.a.view, stack.size()), b = stack_strides(matrices.b.view, stack.size()),
             c = stack_strides(matrices.c.view, stack.size());
  for (StridedWalk walk(stack, {&a, &b, &c}); !walk.done(); walk.next())
    times_.push_back({.a = static_cast<std::int64_t>(walk.offset(0)),
                      .b = static_cast<std::int64_t>(walk.offset(1)),
                      .c = static_cast<std::int64_t>(walk.offset(2))});
  const auto times = static_cast<std::int64_t>(times_.size());
  const double nanoseconds = tiles_.nanoseconds() * static_cast<double>(times);
  shares_times_ = times >= static_cast<std::int64_t>(thread_count());
  shares_ = shares_times_ ? shares_of(nanoseconds, times) : shares_of(tiles_.nanoseconds(), tiles_.parts());
}

std::size_t ComputedProduct::scratch_bytes() const {
  const auto bytes = static_cast<std::size_t>(tiles_.weight_floats()) * sizeof(float);
  return (shares_times_ ? shares_ : 1) * ((bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment);
}

/// Whole lines: packed weights are blocks of columns.
float* ComputedProduct::packed(const RunMemory& memory, std::size_t share) const {
  return reinterpret_cast<float*>(memory.scratch) +
         static_cast<std::int64_t>(shares_times_ ? share : 0) * tiles_.weight_floats();
}

TiledProduct::Matrix ComputedProduct::matrix_of(const RunMemory& memory, const Time& time) const {
  return {.elements = static_cast<const float*>(memory.at(b_)) + time.b,
          .depth_stride = depth_stride_,
          .column_stride = column_stride_};
}

TiledProduct::Operands ComputedProduct::operands_of(const RunMemory& memory, const Time& time,
                                                    const float* weights) const {
  return {.a = static_cast<const float*>(memory.at(a_)) + time.a,
          .weights = weights,
          .bias = bias_.empty() ? nullptr : bias_.data(),
          .c = static_cast<float*>(memory.at(c_)) + time.c};
}

void ComputedProduct::run(const RunMemory& memory) const {
  if (shares_times_) return on_threads(shares_, [&](std::size_t share) { run_times(memory, share); });
  for (const Time& time : times_) run_time(memory, time);
}

void ComputedProduct::run_times(const RunMemory& memory, std::size_t share) const {
  const PartRange range = range_of(static_cast<std::int64_t>(times_.size()), share, shares_);
  float* const weights = packed(memory, share);
  for (std::int64_t i = range.first; i < range.last; ++i) {
    const Time& time = times_[static_cast<std::size_t>(i)];
    // Matrices of a stack may all be multiplied by the same one.
    if (i == range.first || times_[static_cast<std::size_t>(i - 1)].b != time.b)
      tiles_.pack(matrix_of(memory, time), weights, 0, static_cast<std::int64_t>(tiles_.panels().size()));
    ResolvedFinishes finishes(finishes_, memory);
    finishes.move_by(time.c);
    TiledProduct::Operands operands = operands_of(memory, time, weights);
    operands.finishes = finishes.span();
    tiles_.run(operands, 0, tiles_.parts());
  }
}

/// All threads pack, and when everything is packed, multiply.
void ComputedProduct::run_time(const RunMemory& memory, const Time& time) const {
  float* const weights = packed(memory, 0);
  on_threads(shares_, [&](std::size_t share) {
    const PartRange panels = range_of(static_cast<std::int64_t>(tiles_.panels().size()), share, shares_);
    tiles_.pack(matrix_of(memory, time), weights, panels.first, panels.last);
  });
  ResolvedFinishes finishes(finishes_, memory);
  finishes.move_by(time.c);
  TiledProduct::Operands operands = operands_of(memory, time, weights);
  operands.finishes = finishes.span();
  on_threads(shares_, [&](std::size_t share) {
    const PartRange parts = range_of(tiles_.parts(), share, shares_);
    tiles_.run(operands, parts.first, parts.last);
  });
}

std::vector<ArrayId> ComputedProduct::reads() const {
  std::vector<ArrayId> read = added_arrays(finishes_);
  read.insert(read.end(), {a_.array, b_.array});
  return read;
}

}  // namespace hone::native
