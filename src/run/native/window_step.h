#pragma once

#include <optional>

#include "graph/loops/loop_view.h"
#include "graph/ops/window.h"
#include "run/native/product_step.h"
#include "run/native/threads.h"
#include "run/native/window_kernel.h"

namespace hone::native {

/// How a window slides over an image, or a line, whose channels are each by themselves; nothing where there is no code
/// for it. `to` is the view of the result, which may lie in a concatenation.
struct WindowShape {
  static std::optional<WindowShape> of(WindowWork work, const Window& window, const LoopView& from, const LoopView& to);

  WindowWork work = WindowWork::mean;
  WindowFunction code = nullptr;
  WindowSlide down, along;
  std::int64_t images = 1, channels = 1;
  std::int64_t from_image = 0, from_block = 0, to_image = 0, to_block = 0;  // how far apart they lie
  bool has_blocks = false;                                                  // channels lie in blocks, all of them full
  bool counts_padding = false;                                              // in a mean

  std::int64_t blocks() const { return (channels + kProductBlock - 1) / kProductBlock; }
};

/// Sixteen channels of something.
struct alignas(64) ChannelBlock {
  float of[kProductBlock] = {};
};

/// A convolution that sees every channel by itself, or pooling, by own code that all shapes share.
class WindowStep final : public Step {
 public:
  /// Constants are what each block of channels begins with and its weights, row by row of the window; none for pooling.
  WindowStep(const WindowShape& shape, ArrayPlace from, ArrayPlace to, std::vector<ChannelBlock> constants = {},
             std::vector<ProductStep::Finish> finishes = {}, std::int64_t finish_image = 0);

  void run(const RunMemory& memory) const override;
  std::size_t held_bytes() const override { return constants_.size() * sizeof(ChannelBlock); }
  std::vector<ArrayId> reads() const override;
  std::vector<ArrayId> writes() const override { return {to_.array}; }

 private:
  /// Rows of an image.
  struct Rows {
    std::int64_t image = 0, first = 0, last = 0;
  };
  void run_rows(const RunMemory& memory, const Rows& rows, std::int64_t block) const;
  void run_parts(const RunMemory& memory, PartRange parts) const;
  std::int64_t parts() const { return shape_.images * shape_.down.results * (shape_.has_blocks ? shape_.blocks() : 1); }

  WindowShape shape_;
  ArrayPlace from_, to_;
  std::vector<ChannelBlock> constants_;
  std::vector<ProductStep::Finish> finishes_;
  std::int64_t finish_image_ = 0;  // how far apart images lie in what is added
  std::size_t shares_ = 1;
};

}  // namespace hone::native
