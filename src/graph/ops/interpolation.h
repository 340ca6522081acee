#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// One-dimensional resampling: which input elements make up each output element of an axis, and with what weights.

namespace hone {

/// How a coordinate of the output becomes one of the input; the names are ONNX's.
enum class CoordinateMode {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn,
};
std::optional<CoordinateMode> coordinate_mode_named(std::string_view name);

/// Which element a coordinate between two stands for.
enum class Nearest {
  round_prefer_floor,
  round_prefer_ceil,
  floor,
  ceil,
  simple,  // of Resize 10: ceil when shrinking, else floor
};
std::optional<Nearest> nearest_named(std::string_view name);

/// The weight function spread over the neighbours of a coordinate.
struct Kernel {
  enum class Shape { linear, cubic } shape = Shape::linear;
  double cubic_a = -0.75;
  bool antialias = false;        // widened when shrinking, so that no input element is skipped
  bool exclude_outside = false;  // nothing is read beyond the ends; otherwise the end elements go on
};

/// The weight of a neighbour at a distance.
double kernel_weight(const Kernel& kernel, double distance);

/// How one axis is resampled.
struct ResampledAxis {
  std::int64_t input = 1;
  std::int64_t output = 1;
  double scale = 1;
  double extent = 1;     // the output length before it was rounded
  double roi_start = 0;  // part of the input that is shown, for tf_crop_and_resize
  double roi_end = 1;

  /// Nothing changes along this axis.
  bool is_identity() const { return input == output && scale == 1 && roi_start == 0 && roi_end == 1; }
};

/// Where in the input the output element `at` lies.
double original_coordinate(CoordinateMode mode, const ResampledAxis& axis, std::int64_t at);

std::int64_t nearest_place(Nearest nearest, const ResampledAxis& axis, double coordinate);

/// One input element with its weight.
struct Tap {
  std::int64_t place = 0;
  double weight = 0;
};
std::vector<Tap> taps_at(const Kernel& kernel, const ResampledAxis& axis, double coordinate);

}  // namespace hone
