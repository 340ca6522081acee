#include "run/native/window_step.h"

#include <algorithm>

namespace hone::native {
namespace {

constexpr double kTapNanoseconds = 0.35;  // of an element of a window, for a block of channels

/// Channels side by side, all of them or in blocks.
bool has_channels_together(const LoopView& view) {
  return view.has_blocks || view.dims[1] == 1 || view.strides[1] == 1;
}

WindowSlide slide_along(const WindowAxis& window, const LoopView& from, const LoopView& to, std::size_t axis) {
  return {.size = from.dims[axis],
          .results = to.dims[axis],
          .taps = window.size,
          .dilation = window.dilation,
          .stride = window.stride,
          .pad = window.pad_begin,
          .from = from.strides[axis],
          .to = to.strides[axis]};
}

}  // namespace

std::optional<WindowShape> WindowShape::of(WindowWork work, const Window& window, const LoopView& from,
                                           const LoopView& to) {
  const std::size_t rank = from.dims.size();
  if (rank < 3 || rank > 4 || from.has_blocks != to.has_blocks) return std::nullopt;
  if (!has_channels_together(from) || !has_channels_together(to)) return std::nullopt;
  const auto block_of = [](const LoopView& view) { return view.has_blocks ? view.strides[1] : LoopView::kBlock; };
  WindowShape shape{.work = work,
                    .along = slide_along(window.axes[rank - 3], from, to, rank - 1),
                    .images = from.dims[0],
                    .channels = from.dims[1],
                    .from_image = from.strides[0],
                    .from_block = block_of(from),
                    .to_image = to.strides[0],
                    .to_block = block_of(to),
                    .has_blocks = from.has_blocks};
  if (rank == 4) shape.down = slide_along(window.axes[0], from, to, 2);
  shape.code = window_function(work, shape.along);
  return shape.code != nullptr ? std::optional(shape) : std::nullopt;
}

WindowStep::WindowStep(const WindowShape& shape, ArrayPlace from, ArrayPlace to, std::vector<ChannelBlock> constants,
                       std::vector<ProductStep::Finish> finishes, std::int64_t finish_image)
    : shape_(shape),
      from_(from),
      to_(to),
      constants_(std::move(constants)),
      finishes_(std::move(finishes)),
      finish_image_(finish_image) {
  const std::int64_t places = shape.images * shape.blocks() * shape.down.results * shape.along.results;
  shares_ = shares_of(static_cast<double>(places * shape.down.taps * shape.along.taps) * kTapNanoseconds, parts());
}

void WindowStep::run(const RunMemory& memory) const {
  on_threads(shares_, [&](std::size_t share) { run_parts(memory, range_of(parts(), share, shares_)); });
}

/// A part is a row: of a block of channels, or of all of them where they lie side by side.
void WindowStep::run_parts(const RunMemory& memory, PartRange parts) const {
  const std::int64_t results = shape_.down.results, blocks = shape_.blocks();
  for (std::int64_t part = parts.first; part < parts.last;) {
    const std::int64_t plane = part / results, first = part % results;
    const std::int64_t last = std::min(results, first + parts.last - part);
    if (shape_.has_blocks) run_rows(memory, {plane / blocks, first, last}, plane % blocks);
    else
      for (std::int64_t block = 0; block < blocks; ++block) run_rows(memory, {plane, first, last}, block);
    part += last - first;
  }
}

void WindowStep::run_rows(const RunMemory& memory, const Rows& rows, std::int64_t block) const {
  ResolvedFinishes finishes(finishes_, memory);
  finishes.move_by(rows.image * finish_image_);
  WindowCall call{.down = shape_.down,
                  .along = shape_.along,
                  .source = static_cast<const float*>(memory.at(from_)) + rows.image * shape_.from_image +
                            block * shape_.from_block,
                  .has_all_lanes = shape_.has_blocks,
                  .first_row = rows.first,
                  .last_row = rows.last,
                  .counts_padding = shape_.counts_padding};
  call.result.c = static_cast<float*>(memory.at(to_)) + rows.image * shape_.to_image + block * shape_.to_block;
  call.result.last_columns = std::min(kProductBlock, shape_.channels - block * kProductBlock);
  call.result.fills_block = shape_.has_blocks;
  call.result.first_block = block;
  call.result.finishes = finishes.span().data();
  call.result.finish_count = static_cast<std::int64_t>(finishes.count);
  if (!constants_.empty()) {
    const ChannelBlock* const own = constants_.data() + block * (1 + shape_.down.taps * shape_.along.taps);
    call.result.bias = own->of;
    call.weights = own[1].of;
  }
  shape_.code(call);
}

std::vector<ArrayId> WindowStep::reads() const {
  std::vector<ArrayId> read = added_arrays(finishes_);
  read.push_back(from_.array);
  return read;
}

}  // namespace hone::native
