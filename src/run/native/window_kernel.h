#pragma once

#include "run/native/product_kernel.h"

namespace hone::native {

/// What is computed of the elements that a window covers.
enum class WindowWork : std::uint8_t { weighted_sum, largest, mean };

/// How a window slides along an axis of a plane.
struct WindowSlide {
  std::int64_t size = 1;                // elements of the plane
  std::int64_t results = 1;             // places of the window
  std::int64_t taps = 1, dilation = 1;  // of the window: elements, and how far apart
  std::int64_t stride = 1, pad = 0;
  std::int64_t from = 0, to = 0;  // how far apart neighbours lie in source and result
};

/// Rows of the result of a window that slides over a plane, for up to 16 channels side by side, each by itself.
struct WindowCall {
  WindowSlide down, along;         // rows and columns
  const float* source = nullptr;   // of these channels
  bool has_all_lanes = true;       // 16 can be read everywhere, whatever there are
  const float* weights = nullptr;  // row by row of the window, 16 for each element; of a weighted sum
  std::int64_t first_row = 0, last_row = 0;
  bool counts_padding = false;  // a mean is over the whole window wherever it lies
  /// The result of these channels and what is done to it last: `c`, columns and `fills_block`, `first_block`, finishes;
  /// `bias` is what a weighted sum begins with.
  ProductCall result;
};
using WindowFunction = void (*)(const WindowCall& call);

/// Code for windows that slide so along a row: of two or three elements (largest and mean), or three, five or seven
/// (weighted sum), one or two columns from place to place. Null for others, for rows of few
/// places that are no multiple of seven, and where this processor has none.
WindowFunction window_function(WindowWork work, const WindowSlide& along);

}  // namespace hone::native
