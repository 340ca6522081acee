#include "graph/ops/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/interpolation.h"
#include "graph/ops/rounding.h"

// Resize and its predecessor Upsample.

namespace hone {
namespace {

/// Before opset 11 there were only scales, and coordinates were always asymmetric.
bool has_modes(const NodeReader& node) { return node.entry().name == "Resize" && node.version() >= 11; }
std::size_t scales_input(const NodeReader& node) { return has_modes(node) ? 2 : 1; }
constexpr std::size_t kRoiInput = 1, kSizesInput = 3;

CoordinateMode coordinate_mode(const NodeReader& node) {
  if (!has_modes(node)) return CoordinateMode::asymmetric;
  const std::string& name = node.text("coordinate_transformation_mode");
  if (const auto mode = coordinate_mode_named(name)) return *mode;
  node.fail("unknown coordinate_transformation_mode '{}'", name);
}

/// The axes that scales, sizes and roi speak of, in their order.
std::vector<std::size_t> resized_axes(const NodeReader& node, std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (node.version() < 18 || !node.has_attribute("axes")) return axes;
  const std::vector<std::int64_t> given = node.integers("axes");
  normalize_axes(node, given, rank);  // none twice
  axes.clear();
  for (const std::int64_t axis : given) axes.push_back(normalize_axis(node, axis, rank));
  return axes;
}

std::vector<float> floats_of(const Tensor& tensor) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < tensor.count(); ++i) numbers.push_back(static_cast<float>(tensor.number_at(i)));
  return numbers;
}

/// What the node asks for, as far as known; at most one of scales and sizes has elements.
struct Request {
  std::vector<float> scales;
  Contents sizes;
  std::vector<float> roi;  // all starts, then all ends
};

void check_request(const NodeReader& node, const Request& request, std::size_t axes) {
  for (const float scale : request.scales)
    if (!(scale > 0) || !std::isfinite(scale)) node.fail("a scale is {}", scale);
  for (const Dim size : request.sizes)
    if (size.known() && size.value() < 0) node.fail("a size is {}", size.value());
  for (const float bound : request.roi)
    if (!std::isfinite(bound)) node.fail("the roi has {}", bound);
  const std::size_t given = request.scales.empty() ? request.sizes.size() : request.scales.size();
  if (given != axes) node.fail("{} scales or sizes for {} axes", given, axes);
  if (!request.roi.empty() && request.roi.size() != 2 * axes)
    node.fail("the roi has {} numbers for {} axes", request.roi.size(), axes);
}

/// Part of the input that is shown along the i-th resized axis.
struct SampledWindow {
  double start = 0;
  double end = 1;
};

SampledWindow window(const NodeReader& node, const Request& request, std::size_t i) {
  if (coordinate_mode(node) != CoordinateMode::tf_crop_and_resize || request.roi.empty()) return {};
  return {.start = request.roi[i], .end = request.roi[request.roi.size() / 2 + i]};
}

/// Scale that all axes share when the aspect ratio is kept; nullopt when each goes its own way.
std::optional<double> shared_scale(const NodeReader& node, const Request& request,
                                   std::span<const std::int64_t> inputs) {
  if (node.version() < 18 || request.sizes.empty()) return std::nullopt;
  const std::string& policy = node.text("keep_aspect_ratio_policy");
  if (policy == "stretch") return std::nullopt;
  if (policy != "not_larger" && policy != "not_smaller") node.fail("unknown keep_aspect_ratio_policy '{}'", policy);
  std::vector<double> scales;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == 0) node.fail("an empty axis has no aspect ratio");
    scales.push_back(static_cast<double>(request.sizes[i].value()) / static_cast<double>(inputs[i]));
  }
  return policy == "not_larger" ? std::ranges::min(scales) : std::ranges::max(scales);
}

std::int64_t whole(const NodeReader& node, double length) {
  if (!(length >= 0) || length > 0x1p60) node.fail("a resized axis has a length of {}", length);
  return static_cast<std::int64_t>(length);
}

/// How each axis of `dims` is resampled. All sizes of the request must be numbers.
std::vector<ResampledAxis> resampled_axes(const NodeReader& node, const Request& request, const Dims& dims) {
  const std::vector<std::size_t> axes = resized_axes(node, dims.size());
  check_request(node, request, axes.size());
  std::vector<ResampledAxis> all;
  for (const std::int64_t d : dims) all.push_back({.input = d, .output = d, .extent = static_cast<double>(d)});
  std::vector<std::int64_t> inputs;
  for (const std::size_t axis : axes) inputs.push_back(dims[axis]);
  if (axes.empty()) return all;
  const std::optional<double> shared = shared_scale(node, request, inputs);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResampledAxis& axis = all[axes[i]];
    const SampledWindow shown = window(node, request, i);
    axis.roi_start = shown.start;
    axis.roi_end = shown.end;
    const auto input = static_cast<double>(axis.input);
    if (!request.scales.empty()) {
      axis.scale = request.scales[i];
      axis.extent = input * (shown.end - shown.start) * axis.scale;
      // In float, so that 10 * 0.7f is 7.
      axis.output = whole(node, std::floor(static_cast<float>(axis.input) *
                                           static_cast<float>(shown.end - shown.start) * request.scales[i]));
    } else if (shared) {
      axis.scale = *shared;
      axis.extent = input * *shared;
      axis.output = whole(node, std::floor(axis.extent + 0.5));
    } else {
      axis.output = request.sizes[i].value();
      axis.extent = static_cast<double>(axis.output);
      if (axis.input > 0) axis.scale = axis.extent / input;
    }
    if (axis.input == 0 && axis.output > 0) node.fail("axis {} is empty and cannot grow", axes[i]);
  }
  return all;
}

/// An unknown or symbolic dimension times a scale.
Dim scaled_dim(Dim dim, float scale) {
  const float inverse = 1 / scale;
  if (scale >= 1 && scale < 0x1p30f && scale == std::floor(scale)) return dim * static_cast<std::int64_t>(scale);
  if (scale < 1 && inverse < 0x1p30f && inverse == std::floor(inverse) &&
      std::exp2(std::round(std::log2(inverse))) == inverse)
    return floor_div(dim, static_cast<std::int64_t>(inverse));  // a power of two, so that the product is exact
  return {};
}

/// What is known of the request; nullopt when too little to tell any dimension.
std::optional<Request> known_request(const InferContext& context) {
  Request request;
  if (context.has_attribute("scales")) {
    request.scales = context.numbers("scales");
    return request;
  }
  const bool crops = coordinate_mode(context) == CoordinateMode::tf_crop_and_resize && context.has_input(kRoiInput);
  if (has_modes(context)) {
    if (const auto sizes = context.contents(kSizesInput); sizes && !sizes->empty()) {
      request.sizes = *sizes;
      return request;
    }
    if (crops && context.constant(kRoiInput) == nullptr) return std::nullopt;
    if (crops) request.roi = floats_of(*context.constant(kRoiInput));
  }
  const Tensor* scales = context.constant(scales_input(context));
  if (scales == nullptr || scales->count() == 0) return std::nullopt;
  request.scales = floats_of(*scales);
  return request;
}

void infer_resize(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, context.element(0));
  const std::vector<std::size_t> axes = resized_axes(context, input->size());
  Shape shape = *input;
  for (const std::size_t axis : axes) shape[axis] = Dim();
  const std::optional<Request> request = known_request(context);
  if (!request) return context.output(0, context.element(0), shape);
  check_request(context, *request, axes.size());
  const bool sizes_known = std::ranges::all_of(request->sizes, [](Dim d) { return d.known(); });
  if (is_static(*input) && sizes_known) {
    const std::vector<ResampledAxis> resampled = resampled_axes(context, *request, static_dims(*input));
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = resampled[i].output;
    return context.output(0, context.element(0), shape);
  }
  const bool stretches = context.version() < 18 || context.text("keep_aspect_ratio_policy") == "stretch";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SampledWindow shown = window(context, *request, i);
    if (!request->sizes.empty()) shape[axes[i]] = stretches ? request->sizes[i] : Dim();
    else if (shown.start == 0 && shown.end == 1) {
      const Dim dim = (*input)[axes[i]];
      shape[axes[i]] = dim.known()
                           ? Dim(whole(context, std::floor(static_cast<float>(dim.value()) * request->scales[i])))
                           : scaled_dim(dim, request->scales[i]);
    }
  }
  context.output(0, context.element(0), shape);
}

Request given_request(const NodeReader& node, const std::function<const Tensor&(std::size_t)>& tensor) {
  Request request;
  if (node.has_attribute("scales")) {
    request.scales = node.numbers("scales");
    return request;
  }
  if (has_modes(node)) {
    if (node.has_input(kRoiInput)) request.roi = floats_of(tensor(kRoiInput));
    if (node.has_input(kSizesInput))
      for (const std::int64_t size : tensor(kSizesInput).integers())
        request.sizes.emplace_back(std::max<std::int64_t>(size, -1));
  }
  const std::size_t scales = scales_input(node);
  if (request.sizes.empty() && node.has_input(scales)) request.scales = floats_of(tensor(scales));
  if (coordinate_mode(node) != CoordinateMode::tf_crop_and_resize) request.roi.clear();
  return request;
}

/// Coordinates in the input of every element along one axis.
std::vector<double> coordinates_along(CoordinateMode mode, const ResampledAxis& axis) {
  std::vector<double> coordinates(static_cast<std::size_t>(axis.output));
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    coordinates[i] =
        axis.is_identity() ? static_cast<double>(i) : original_coordinate(mode, axis, static_cast<std::int64_t>(i));
  return coordinates;
}

Nearest nearest_mode(const NodeReader& node) {
  if (!has_modes(node)) return node.entry().name == "Upsample" ? Nearest::floor : Nearest::simple;
  const auto named = nearest_named(node.text("nearest_mode"));
  if (!named) node.fail("unknown nearest_mode '{}'", node.text("nearest_mode"));
  return *named;
}

Tensor nearest_of(const EvaluateContext& context, std::span<const ResampledAxis> axes) {
  const Nearest nearest = nearest_mode(context);
  std::vector<std::vector<std::int64_t>> places;
  for (const ResampledAxis& axis : axes) {
    places.emplace_back();
    for (const double at : coordinates_along(coordinate_mode(context), axis))
      places.back().push_back(nearest_place(nearest, axis, at));
  }
  return pick_coordinates(context.tensor(0), places);
}

/// Resamples `values` of the given dims along one axis; an axis is a sum of runs of what follows it.
std::vector<double> resampled(const std::vector<double>& values, const Dims& dims, std::size_t axis,
                              std::span<const std::vector<Tap>> taps) {
  std::size_t outer = 1, run = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(dims[i]);
  for (std::size_t i = axis + 1; i < dims.size(); ++i) run *= static_cast<std::size_t>(dims[i]);
  const auto length = static_cast<std::size_t>(dims[axis]);
  std::vector<double> result(outer * taps.size() * run, 0.0);
  for (std::size_t row = 0; row < outer; ++row) {
    for (std::size_t at = 0; at < taps.size(); ++at) {
      double* const to = result.data() + (row * taps.size() + at) * run;
      for (const Tap& tap : taps[at]) {
        const double* const from = values.data() + (row * length + static_cast<std::size_t>(tap.place)) * run;
        for (std::size_t i = 0; i < run; ++i) to[i] += tap.weight * from[i];
      }
    }
  }
  return result;
}

Kernel kernel_of(const NodeReader& node) {
  Kernel kernel{.shape = node.text("mode") == "cubic" ? Kernel::Shape::cubic : Kernel::Shape::linear};
  if (has_modes(node)) {
    kernel.cubic_a = node.number("cubic_coeff_a");
    kernel.exclude_outside = node.integer("exclude_outside") != 0;
    kernel.antialias = node.version() >= 18 && node.integer("antialias") != 0;
  }
  return kernel;
}

/// The neighbours of every coordinate along one axis.
AxisTaps smooth_taps(const NodeReader& node, const Kernel& kernel, const ResampledAxis& axis) {
  AxisTaps taps;
  for (const double at : coordinates_along(coordinate_mode(node), axis)) {
    const double near = std::clamp(at, -4.0, static_cast<double>(axis.input) + 4);  // beyond, all is the end element
    taps.push_back(taps_at(kernel, axis, near));
  }
  return taps;
}

Tensor interpolated(const EvaluateContext& context, std::span<const ResampledAxis> axes) {
  const Tensor& input = context.tensor(0);
  const Kernel kernel = kernel_of(context);
  return dispatch_number(input.type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> values;
    values.reserve(input.count());
    for (const T& element : input.values<T>()) values.push_back(static_cast<double>(element));
    Dims dims = input.dims();
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].is_identity()) continue;
      values = resampled(values, dims, i, smooth_taps(context, kernel, axes[i]));
      dims[i] = axes[i].output;
    }
    Tensor result = Tensor::zeros(input.type(), dims);
    std::ranges::transform(values, result.write<T>().begin(), [](double value) { return rounded<T>(value); });
    return result;
  });
}

bool is_outside(const ResampledAxis& axis, double at) {
  return !(at >= 0 && at <= static_cast<double>(axis.input - 1));
}

/// With tf_crop_and_resize, what shows no part of the input gets a value of its own.
void extrapolate(const EvaluateContext& context, std::span<const ResampledAxis> axes, Tensor& result) {
  std::vector<std::vector<bool>> outside;
  for (const ResampledAxis& axis : axes) {
    outside.emplace_back();
    for (const double at : coordinates_along(CoordinateMode::tf_crop_and_resize, axis))
      outside.back().push_back(is_outside(axis, at));
  }
  const double value = context.number("extrapolation_value");
  for (StridedWalk walk(result.dims(), {}); !walk.done(); walk.next())
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (outside[axis][static_cast<std::size_t>(walk.index(axis))]) result.set_number(walk.position(), value);
}

bool is_smooth(const NodeReader& node) {
  const std::string& mode = node.text("mode");
  const bool smooth = mode == "linear" || mode == "bilinear" || (mode == "cubic" && has_modes(node));
  if (!smooth && mode != "nearest") node.fail("unknown mode '{}'", mode);
  return smooth;
}

void evaluate_resize(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const auto tensor = [&](std::size_t i) -> const Tensor& { return context.tensor(i); };
  const std::vector<ResampledAxis> axes = resampled_axes(context, given_request(context, tensor), input.dims());
  Dims dims;
  for (const ResampledAxis& axis : axes) dims.push_back(axis.output);
  if (element_count(dims) == 0) return context.output(0, Tensor::zeros(input.type(), dims));
  Tensor result = is_smooth(context) ? interpolated(context, axes) : nearest_of(context, axes);
  if (coordinate_mode(context) == CoordinateMode::tf_crop_and_resize) extrapolate(context, axes, result);
  context.output(0, std::move(result));
}

/// A multiply-add for every neighbour: 2 or 4 along each axis that changes.
double resize_flops(const CostContext& context) {
  const std::string& mode = context.text("mode");
  if (mode == "nearest") return 0;
  double neighbours = 1;
  const Shape &from = context.input(0).shape, &to = context.output(0).shape;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
    if (from[i] != to[i]) neighbours *= mode == "cubic" ? 4 : 2;
  return 2 * neighbours * context.output_elements(0);
}

// clang-format off
const OpFamily resize_family({
    {.name = "Resize", .versions = {10, 11, 13, 18, 19}, .inputs = {1, 4},
     .attributes = {text("mode", "nearest"), text("coordinate_transformation_mode", "half_pixel").since(11),
                    text("nearest_mode", "round_prefer_floor").since(11), number("cubic_coeff_a", -0.75f).since(11),
                    integer("exclude_outside", 0).since(11), number("extrapolation_value", 0.0f).since(11),
                    integer("antialias", 0).since(18), integers("axes").since(18),
                    text("keep_aspect_ratio_policy", "stretch").since(18)},
     .kind = OpKind::movement, .infer = infer_resize, .evaluate = evaluate_resize, .flops = resize_flops},
    {.name = "Upsample", .versions = {7, 9, 10}, .inputs = {1, 2},
     .attributes = {text("mode", "nearest"), numbers("scales").until(9)},
     .kind = OpKind::movement, .infer = infer_resize, .evaluate = evaluate_resize, .flops = resize_flops},
});
// clang-format on

}  // namespace

std::vector<AxisTaps> resize_taps(const NodeReader& node, const Dims& dims,
                                  const std::function<const Tensor&(std::size_t)>& tensor) {
  std::vector<AxisTaps> all;
  const bool crops = coordinate_mode(node) == CoordinateMode::tf_crop_and_resize;
  for (const ResampledAxis& axis : resampled_axes(node, given_request(node, tensor), dims)) {
    AxisTaps& taps = all.emplace_back();
    if (axis.is_identity()) continue;
    const std::vector<double> coordinates = coordinates_along(coordinate_mode(node), axis);
    if (is_smooth(node)) taps = smooth_taps(node, kernel_of(node), axis);
    else
      for (const double at : coordinates) taps.push_back({{nearest_place(nearest_mode(node), axis, at), 1.0}});
    for (std::size_t i = 0; crops && i < coordinates.size(); ++i)
      if (is_outside(axis, coordinates[i])) taps[i].clear();
  }
  return all;
}

}  // namespace hone
