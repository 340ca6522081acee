#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"
#include "graph/ops/sliding_product.h"
#include "graph/ops/window.h"

// DeformConv: a convolution whose windows read at places moved by offsets, between elements, and weighed by a mask.

namespace hone {
namespace {

std::int64_t positive(const NodeReader& node, std::string_view name) {
  const std::int64_t value = node.integer(name);
  if (value < 1) node.fail("{} cannot be {}", name, value);
  return value;
}

Shape deformed_shape(const NodeReader& node, const Shape& x, const Shape* weights) {
  if (x.size() < 3 || (weights != nullptr && weights->size() != x.size()))
    node.fail("the weights do not fit the input {}", text_of(x));
  Shape shape(x.size());
  shape[0] = x[0];
  if (weights != nullptr) shape[1] = (*weights)[0];
  return windowed_shape(node, std::move(shape), x, weights);
}

void infer_deform_conv(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), deformed_shape(context, *context.shape(0), context.shape(1)));
}

/// Value of a plane at a place between its elements, linear along every axis; zero outside.
double between_pixels(std::span<const double> plane, const Dims& dims, std::span<const double> place) {
  double sum = 0;
  for (std::size_t corner = 0; corner < std::size_t{1} << dims.size(); ++corner) {
    double weight = 1;
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < dims.size() && weight != 0; ++axis) {
      const double low = std::floor(place[axis]), part = place[axis] - low;
      const bool upper = (corner >> axis & 1) != 0;
      const double at = upper ? low + 1 : low;
      weight *= upper ? part : 1 - part;
      if (!(at >= 0 && at < static_cast<double>(dims[axis]))) weight = 0;
      else offset = offset * dims[axis] + static_cast<std::int64_t>(at);
    }
    if (weight != 0) sum += weight * plane[static_cast<std::size_t>(offset)];
  }
  return sum;
}

/// A deformed convolution being run, patches first, then their product with the weights.
class DeformedRun {
 public:
  DeformedRun(EvaluateContext& context, const SlidingGeometry& geometry)
      : context_(context),
        geometry_(geometry),
        offset_groups_(positive(context, "offset_group")),
        x_(context.tensor(0)),
        offsets_(context.tensor(2)) {
    const std::int64_t channels = geometry.groups * geometry.wide_channels,
                       rank = static_cast<std::int64_t>(geometry.window.size());
    const std::int64_t shifts = geometry.batch * offset_groups_ * geometry.taps() * geometry.narrow_plane();
    if (channels % offset_groups_ != 0) context.fail("{} channels in {} offset groups", channels, offset_groups_);
    if (static_cast<std::int64_t>(offsets_.size()) != shifts * rank)
      context.fail("{} offsets, expected {}", offsets_.size(), shifts * rank);
    mask_.assign(static_cast<std::size_t>(shifts), 1);
    if (!context.has_input(4)) return;
    const Numbers<double> mask(context.tensor(4));
    if (mask.size() != mask_.size()) context.fail("a mask of {}, expected {}", mask.size(), mask_.size());
    mask_.assign(mask.view().begin(), mask.view().end());
  }

  std::vector<double> run() const {
    const std::int64_t plane = geometry_.narrow_plane(), inner = geometry_.wide_channels * geometry_.taps();
    const Numbers<double> weights(context_.tensor(1));
    std::vector<double> result(buffer_size({geometry_.batch, geometry_.groups, geometry_.narrow_channels, plane}));
    if (result.empty()) return result;
    for (std::int64_t stack = 0; stack < geometry_.batch * geometry_.groups; ++stack) {
      const std::vector<double> gathered = patches(stack);
      const double* filter = weights.data() + stack % geometry_.groups * geometry_.narrow_channels * inner;
      matrix_product<double>({geometry_.narrow_channels, inner, plane}, {filter, inner}, {gathered.data(), plane},
                             {result.data() + stack * geometry_.narrow_channels * plane, plane});
    }
    return result;
  }

 private:
  /// What all windows read for one sample and group: wide_channels * taps rows.
  std::vector<double> patches(std::int64_t stack) const {
    const std::int64_t taps = geometry_.taps(), positions = geometry_.narrow_plane(), wide = geometry_.wide_plane();
    const std::int64_t by_offset_group = geometry_.groups * geometry_.wide_channels / offset_groups_;
    std::vector<double> result;
    for (std::int64_t channel = 0; channel < geometry_.wide_channels; ++channel) {
      const std::int64_t global = stack % geometry_.groups * geometry_.wide_channels + channel;
      const std::int64_t shift_group = stack / geometry_.groups * offset_groups_ + global / by_offset_group;
      const auto plane = x_.view().subspan(static_cast<std::size_t>((stack * geometry_.wide_channels + channel) * wide),
                                           static_cast<std::size_t>(wide));
      for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t position = 0; position < positions; ++position) {
          const std::int64_t shift = shift_group * taps + tap;
          const double factor = mask_[static_cast<std::size_t>(shift * positions + position)];
          result.push_back(factor * between_pixels(plane, geometry_.wide, moved_place(shift, tap, position)));
        }
    }
    return result;
  }

  /// Where a tap of a window reads after its offset.
  std::vector<double> moved_place(std::int64_t shift, std::int64_t tap, std::int64_t position) const {
    const std::size_t rank = geometry_.window.size();
    const std::int64_t positions = geometry_.narrow_plane();
    std::vector<double> place(rank);
    std::int64_t tap_rest = tap, window_rest = position;
    for (std::size_t axis = rank; axis-- > 0;) {
      const WindowAxis& along = geometry_.window[axis];
      const std::int64_t at = window_rest % geometry_.narrow[axis] * along.stride - along.pad_begin +
                              tap_rest % along.size * along.dilation;
      const std::int64_t offset =
          (shift * static_cast<std::int64_t>(rank) + static_cast<std::int64_t>(axis)) * positions + position;
      place[axis] = static_cast<double>(at) + offsets_[static_cast<std::size_t>(offset)];
      window_rest /= geometry_.narrow[axis];
      tap_rest /= along.size;
    }
    return place;
  }

  EvaluateContext& context_;
  const SlidingGeometry& geometry_;
  std::int64_t offset_groups_;
  Numbers<double> x_, offsets_;
  std::vector<double> mask_;
};

void evaluate_deform_conv(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &weights = context.tensor(1);
  const Shape weights_shape = weights.shape();
  const Dims dims = dims_of(deformed_shape(context, x.shape(), &weights_shape));
  const std::int64_t groups = positive(context, "group");
  if (x.dim(1) != weights.dim(1) * groups || weights.dim(0) % groups != 0)
    context.fail("the weights do not fit {} groups", groups);
  const Window window = read_window(context, std::span(weights.dims().data() + 2, weights.rank() - 2));
  const SlidingGeometry geometry = {.batch = x.dim(0),
                                    .groups = groups,
                                    .wide_channels = weights.dim(1),
                                    .narrow_channels = weights.dim(0) / groups,
                                    .wide = Dims(std::span(x.dims().data() + 2, x.rank() - 2)),
                                    .narrow = Dims(std::span(dims.data() + 2, dims.size() - 2)),
                                    .window = window.axes};
  std::vector<double> sums = DeformedRun(context, geometry).run();
  if (context.has_input(3)) add_bias(context, sums, dims, context.tensor(3));
  context.output(0, tensor_of(x.type(), dims, sums));
}

/// The product, and about ten operations to read each moved place.
double deform_flops(const CostContext& context) {
  const double filters = context.input_dim(1, 0), inner = filters > 0 ? context.input_elements(1) / filters : 0;
  const double places = filters > 0 ? context.output_elements(0) / filters * inner : 0;
  return 2 * context.output_elements(0) * inner + 10 * places;
}

// clang-format off
const OpFamily deformable_convolution_family({
    {.name = "DeformConv", .versions = {19, 22}, .inputs = {3, 5},
     .attributes = {integers("dilations"), integer("group", 1), integers("kernel_shape"), integer("offset_group", 1),
                    integers("pads"),
                    integers("strides")},
     .kind = OpKind::contraction, .infer = infer_deform_conv, .evaluate = evaluate_deform_conv, .flops = deform_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
