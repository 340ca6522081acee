#include <algorithm>
#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/interpolation.h"
#include "graph/ops/rounding.h"

// Sampling images at computed places: GridSample, and AffineGrid which computes such places.

namespace hone {
namespace {

/// What a GridSample node does at the ends of the image and between its elements.
struct Sampler {
  enum class Mode { nearest, linear, cubic } mode = Mode::linear;
  enum class Padding { zeros, border, reflection } padding = Padding::zeros;
  bool align_corners = false;
};

Sampler sampler_of(const NodeReader& node) {
  Sampler sampler{.align_corners = node.integer("align_corners") != 0};
  const std::string &mode = node.text("mode"), &padding = node.text("padding_mode");
  const bool renamed = node.version() >= 20;  // bilinear and bicubic lost their prefix with the third dimension
  if (mode == "nearest") sampler.mode = Sampler::Mode::nearest;
  else if (mode == (renamed ? "linear" : "bilinear")) sampler.mode = Sampler::Mode::linear;
  else if (mode == (renamed ? "cubic" : "bicubic")) sampler.mode = Sampler::Mode::cubic;
  else node.fail("unknown mode '{}'", mode);
  if (padding == "zeros") sampler.padding = Sampler::Padding::zeros;
  else if (padding == "border") sampler.padding = Sampler::Padding::border;
  else if (padding == "reflection") sampler.padding = Sampler::Padding::reflection;
  else node.fail("unknown padding_mode '{}'", padding);
  return sampler;
}

/// [N, C, out...] from the image [N, C, in...] and the grid [N, out..., axes].
Shape sampled_shape(const NodeReader& node, const Shape& image, const Shape& grid) {
  if (image.size() < 3 || grid.size() != image.size()) node.fail("image {} and grid {}", text_of(image), text_of(grid));
  if (node.version() < 20 && image.size() != 4) node.fail("the image has rank {}, not 4", image.size());
  const Dim axes = static_cast<std::int64_t>(image.size()) - 2;
  if (grid.back().known() && grid.back() != axes)
    node.fail("the grid has {} coordinates for {} axes", grid.back().text(), axes.text());
  if (image[0].known() && grid[0].known() && image[0] != grid[0]) node.fail("image and grid differ in their batch");
  Shape shape = {image[0].unknown() ? grid[0] : image[0], image[1]};
  for (std::size_t i = 1; i + 1 < grid.size(); ++i) shape.push_back(grid[i]);
  return shape;
}

void infer_grid_sample(InferContext& context) {
  const Shape *image = context.shape(0), *grid = context.shape(1);
  if (image != nullptr && grid != nullptr)
    return context.output(0, context.element(0), sampled_shape(context, *image, *grid));
  const Shape* either = image != nullptr ? image : grid;
  if (either == nullptr) context.output(0, context.element(0));
  else context.output(0, context.element(0), Shape(either->size()));
}

/// Mirrors a coordinate at the ends of [low, high] until it lies between them.
double reflected(double at, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double phase = std::fmod(std::abs(at - low), 2 * range);
  return low + std::min(phase, 2 * range - phase);
}

/// The elements along one axis that a grid coordinate in [-1, 1] is made of; a place of -1 is a zero.
class AxisSampler {
 public:
  AxisSampler(const Sampler& sampler, std::int64_t length)
      : sampler_(sampler),
        length_(length),
        low_(sampler.align_corners ? 0.0 : -0.5),
        high_(static_cast<double>(length) - (sampler.align_corners ? 1.0 : 0.5)) {}

  void taps(double coordinate, std::vector<Tap>& taps) const {
    taps.clear();
    const double at = inside(coordinate);
    if (sampler_.mode == Sampler::Mode::nearest) return taps.push_back({place(static_cast<std::int64_t>(at)), 1});
    const bool cubic = sampler_.mode == Sampler::Mode::cubic;
    const Kernel kernel{.shape = cubic ? Kernel::Shape::cubic : Kernel::Shape::linear};
    const auto base = static_cast<std::int64_t>(std::floor(at));
    for (std::int64_t i = base - (cubic ? 1 : 0); i <= base + (cubic ? 2 : 1); ++i)
      taps.push_back({place(i), kernel_weight(kernel, static_cast<double>(i) - at)});
  }

 private:
  /// The coordinate in elements, brought to the image where the padding says so.
  double inside(double coordinate) const {
    const auto length = static_cast<double>(length_);
    double at = sampler_.align_corners ? (coordinate + 1) / 2 * (length - 1) : ((coordinate + 1) * length - 1) / 2;
    // Far outside is all the same, and what is no number lies outside too.
    at = std::isnan(at) ? -4 : std::clamp(at, -0x1p40, 0x1p40);
    if (sampler_.mode == Sampler::Mode::nearest) at = std::nearbyint(at);
    if (at >= low_ && at <= high_) return at;
    if (sampler_.padding == Sampler::Padding::border) return std::clamp(at, 0.0, length - 1);
    return sampler_.padding == Sampler::Padding::reflection ? reflected(at, low_, high_) : at;
  }

  std::int64_t place(std::int64_t at) const {
    if (at >= 0 && at < length_) return at;
    if (sampler_.padding == Sampler::Padding::zeros) return -1;
    if (sampler_.padding == Sampler::Padding::border) return std::clamp<std::int64_t>(at, 0, length_ - 1);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(reflected(static_cast<double>(at), low_, high_)), 0,
                                    length_ - 1);
  }

  const Sampler& sampler_;
  std::int64_t length_;
  double low_, high_;  // ends of the image, in elements
};

/// The elements of one channel that a grid point is made of: the product of its taps along every axis.
class PointSampler {
 public:
  PointSampler(const Sampler& sampler, const Dims& image) {
    for (std::size_t i = 2; i < image.size(); ++i) {
      axes_.emplace_back(sampler, image[i]);
      lengths_.push_back(image[i]);
    }
  }

  /// `point` has its coordinates in the order of the grid: the last axis first.
  const std::vector<Tap>& taps(const Tensor& grid, std::size_t point) {
    taps_.assign(1, {0, 1});
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      axes_[axis].taps(grid.number_at(point * axes_.size() + axes_.size() - 1 - axis), along_);
      product_.clear();
      for (const Tap& tap : taps_)
        for (const Tap& next : along_)
          if (next.place >= 0) product_.push_back({tap.place * lengths_[axis] + next.place, tap.weight * next.weight});
      std::swap(taps_, product_);
    }
    return taps_;
  }

 private:
  std::vector<AxisSampler> axes_;
  Dims lengths_;
  std::vector<Tap> taps_, along_, product_;
};

/// Samples every channel of one batch at every point of its grid.
template <class T>
void sample(const Tensor& image, const Tensor& grid, PointSampler& sampler, Tensor& result) {
  const auto batches = static_cast<std::size_t>(result.dim(0)), channels = static_cast<std::size_t>(result.dim(1));
  const std::size_t points = result.count() / (batches * channels), size = image.count() / (batches * channels);
  const std::span<const T> from = image.values<T>();
  const std::span<T> to = result.write<T>();
  for (std::size_t batch = 0; batch < batches; ++batch) {
    for (std::size_t point = 0; point < points; ++point) {
      const std::vector<Tap>& taps = sampler.taps(grid, batch * points + point);
      for (std::size_t channel = batch * channels; channel < (batch + 1) * channels; ++channel) {
        double sum = 0;
        for (const Tap& tap : taps)
          sum += tap.weight * static_cast<double>(from[channel * size + static_cast<std::size_t>(tap.place)]);
        to[channel * points + point] = rounded<T>(sum);
      }
    }
  }
}

void evaluate_grid_sample(EvaluateContext& context) {
  const Tensor &image = context.tensor(0), &grid = context.tensor(1);
  Tensor result = Tensor::zeros(image.type(), static_dims(sampled_shape(context, image.shape(), grid.shape())));
  const Sampler sampler = sampler_of(context);
  if (result.count() > 0) {
    if (image.count() == 0) context.fail("the image {} is empty", text_of(image.shape()));
    PointSampler points(sampler, image.dims());
    dispatch_number(image.type(), [&](auto zero) { sample<decltype(zero)>(image, grid, points, result); });
  }
  context.output(0, std::move(result));
}

/// A multiply-add for every neighbour of every point.
double grid_sample_flops(const CostContext& context) {
  const std::string& mode = context.text("mode");
  if (mode == "nearest") return 0;
  const double along = mode == "cubic" || mode == "bicubic" ? 4 : 2;
  const double axes = static_cast<double>(context.input(0).shape.size()) - 2;
  return 2 * std::pow(along, axes) * context.output_elements(0);
}

// AffineGrid.

/// [N, out..., axes] for theta [N, axes, axes + 1] and size [N, C, out...].
Shape affine_grid_shape(const NodeReader& node, const Contents& size) {
  if (size.size() != 4 && size.size() != 5) node.fail("the size has {} numbers, not 4 or 5", size.size());
  Shape shape = {size[0]};
  for (std::size_t i = 2; i < size.size(); ++i) shape.push_back(size[i]);
  shape.push_back(static_cast<std::int64_t>(size.size()) - 2);
  for (const Dim d : shape)
    if (d.known() && d.value() < 0) node.fail("the size has a dimension {}", d.value());
  return shape;
}

void infer_affine_grid(InferContext& context) {
  if (const auto size = context.contents(1))
    return context.output(0, context.element(0), affine_grid_shape(context, *size));
  const Shape* theta = context.shape(0);
  if (theta == nullptr || theta->size() != 3 || !(*theta)[1].known() || (*theta)[1].value() < 2 ||
      (*theta)[1].value() > 3)
    return context.output(0, context.element(0));
  Shape shape(static_cast<std::size_t>((*theta)[1].value()) + 2);
  shape[0] = (*theta)[0];
  shape.back() = (*theta)[1];
  context.output(0, context.element(0), shape);
}

void evaluate_affine_grid(EvaluateContext& context) {
  const Tensor& theta = context.tensor(0);
  const std::vector<std::int64_t> size = context.tensor(1).integers();
  const Dims dims = static_dims(affine_grid_shape(context, Contents(size.begin(), size.end())));
  const std::int64_t axes = dims.back();
  if (!(theta.dims() == Dims{dims[0], axes, axes + 1}))
    context.fail("theta {} does not match the size", text_of(theta.shape()));
  const bool align_corners = context.integer("align_corners") != 0;
  const auto coordinate = [&](std::int64_t at, std::int64_t length) {
    if (!align_corners) return (2.0 * static_cast<double>(at) + 1) / static_cast<double>(length) - 1;
    return length == 1 ? -1.0 : 2.0 * static_cast<double>(at) / static_cast<double>(length - 1) - 1;
  };
  Tensor grid = Tensor::zeros(theta.type(), dims);
  const auto width = static_cast<std::size_t>(axes);
  dispatch_float(theta.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> matrices = theta.values<T>();
    const std::span<T> out = grid.write<T>();
    for (StridedWalk walk(dims, {}); !walk.done(); walk.next()) {
      const auto row =
          static_cast<std::size_t>(walk.index(0)) * width + static_cast<std::size_t>(walk.index(width + 1));
      const std::span<const T> weights = matrices.subspan(row * (width + 1), width + 1);
      double sum = static_cast<double>(weights[width]);
      // The first coordinate belongs to the last axis.
      for (std::size_t i = 0; i < width; ++i)
        sum += static_cast<double>(weights[i]) * coordinate(walk.index(width - i), dims[width - i]);
      out[walk.position()] = rounded<T>(sum);
    }
  });
  context.output(0, std::move(grid));
}

// clang-format off
const OpFamily sampling_family({
    {.name = "GridSample", .versions = {16, 20, 22}, .inputs = {2, 2},
     .attributes = {text("mode", "bilinear").until(20), text("mode", "linear").since(20), text("padding_mode", "zeros"),
                    integer("align_corners", 0)},
     .kind = OpKind::movement, .infer = infer_grid_sample, .evaluate = evaluate_grid_sample,
     .flops = grid_sample_flops},
    {.name = "AffineGrid", .versions = {20}, .inputs = {2, 2}, .attributes = {integer("align_corners", 0)},
     .kind = OpKind::movement, .infer = infer_affine_grid, .evaluate = evaluate_affine_grid},
});
// clang-format on

}  // namespace
}  // namespace hone
