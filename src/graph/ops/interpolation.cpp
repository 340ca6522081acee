#include "graph/ops/interpolation.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hone {

std::optional<CoordinateMode> coordinate_mode_named(std::string_view name) {
  static constexpr std::string_view kNames[] = {"half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
                                                "align_corners",       "asymmetric",           "tf_crop_and_resize",
                                                "tf_half_pixel_for_nn"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<CoordinateMode>(found - std::begin(kNames));
}

std::optional<Nearest> nearest_named(std::string_view name) {
  static constexpr std::string_view kNames[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Nearest>(found - std::begin(kNames));
}

double kernel_weight(const Kernel& kernel, double distance) {
  const double x = std::abs(distance), a = kernel.cubic_a;
  if (kernel.shape == Kernel::Shape::linear) return std::max(0.0, 1 - x);
  // R. G. Keys, Cubic convolution interpolation for digital image processing, 1981, equation 4.
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double original_coordinate(CoordinateMode mode, const ResampledAxis& axis, std::int64_t at) {
  const auto x = static_cast<double>(at);
  const auto input = static_cast<double>(axis.input), output = static_cast<double>(axis.output);
  switch (mode) {
    case CoordinateMode::half_pixel: return (x + 0.5) / axis.scale - 0.5;
    case CoordinateMode::half_pixel_symmetric:
      return input / 2 * (1 - output / axis.extent) + (x + 0.5) / axis.scale - 0.5;
    case CoordinateMode::pytorch_half_pixel: return axis.output > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
    case CoordinateMode::align_corners: return axis.extent == 1 ? 0 : x * (input - 1) / (axis.extent - 1);
    case CoordinateMode::asymmetric: return x / axis.scale;
    case CoordinateMode::tf_half_pixel_for_nn: return (x + 0.5) / axis.scale;
    case CoordinateMode::tf_crop_and_resize: {
      if (axis.output == 1) return 0.5 * (axis.roi_start + axis.roi_end) * (input - 1);
      return axis.roi_start * (input - 1) + x * (axis.roi_end - axis.roi_start) * (input - 1) / (output - 1);
    }
  }
  return x;
}

std::int64_t nearest_place(Nearest nearest, const ResampledAxis& axis, double coordinate) {
  double place = coordinate;
  switch (nearest) {
    case Nearest::round_prefer_floor: place = std::ceil(coordinate - 0.5); break;
    case Nearest::round_prefer_ceil: place = std::floor(coordinate + 0.5); break;
    case Nearest::floor: place = std::floor(coordinate); break;
    case Nearest::ceil: place = std::ceil(coordinate); break;
    case Nearest::simple: place = axis.scale < 1 ? std::ceil(coordinate) : std::floor(coordinate); break;
  }
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(axis.input - 1)));
}

std::vector<Tap> taps_at(const Kernel& kernel, const ResampledAxis& axis, double coordinate) {
  const double narrowing = kernel.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double reach = (kernel.shape == Kernel::Shape::linear ? 1 : 2) / narrowing;
  const auto first = static_cast<std::int64_t>(std::ceil(coordinate - reach));
  const auto last = static_cast<std::int64_t>(std::floor(coordinate + reach));
  std::vector<Tap> taps;
  double total = 0;
  for (std::int64_t place = first; place <= last; ++place) {
    const double weight = kernel_weight(kernel, (static_cast<double>(place) - coordinate) * narrowing);
    const std::int64_t inside = std::clamp<std::int64_t>(place, 0, axis.input - 1);
    if (weight == 0 || (kernel.exclude_outside && inside != place)) continue;
    taps.push_back({inside, weight});
    total += weight;
  }
  if (kernel.antialias || kernel.exclude_outside)
    for (Tap& tap : taps) tap.weight /= total;
  return taps;
}

}  // namespace hone
