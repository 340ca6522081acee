#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/rounding.h"

// CenterCropPad, and Col2Im which puts an image together from overlapping patches.

namespace hone {
namespace {

/// The input's shape with the given dims along the node's axes.
Shape centered_shape(const NodeReader& node, Shape shape, std::span<const Dim> target) {
  std::vector<std::int64_t> axes = node.integers("axes");
  if (!node.has_attribute("axes"))
    for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.size() != target.size()) node.fail("{} dims for {} axes", target.size(), axes.size());
  normalize_axes(node, axes, shape.size());  // none twice
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (target[i].known() && target[i].value() < 0) node.fail("the shape has a dimension {}", target[i].value());
    shape[normalize_axis(node, axes[i], shape.size())] = target[i];
  }
  return shape;
}

void infer_center_crop_pad(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, context.element(0));
  const auto target = context.contents(1);
  context.output(0, context.element(0), target ? centered_shape(context, *input, *target) : Shape(input->size()));
}

void evaluate_center_crop_pad(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::vector<std::int64_t> numbers = context.tensor(1).integers();
  const Contents target(numbers.begin(), numbers.end());
  const Dims dims = static_dims(centered_shape(context, input.shape(), target));
  Tensor result = Tensor::zeros(input.type(), dims);
  BlockPlace to{.strides = strides_of(dims)}, from{.strides = strides_of(input.dims())};
  Dims kept;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    kept.push_back(std::min(dims[i], input.dim(i)));
    to.offset += (dims[i] - kept[i]) / 2 * to.strides[i];
    from.offset += (input.dim(i) - kept[i]) / 2 * from.strides[i];
  }
  copy_block(kept, result, to, input, from);
  context.output(0, std::move(result));
}

/// How patches lie on the image along one axis.
struct PatchAxis {
  std::int64_t image = 1;
  std::int64_t block = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;  // in front
  std::int64_t stride = 1;
  std::int64_t patches = 1;
};

std::vector<PatchAxis> patch_axes(const EvaluateContext& context) {
  const std::vector<std::int64_t> image = context.tensor(1).integers(), block = context.tensor(2).integers();
  const auto option = [&](std::string_view name, std::size_t count, std::int64_t otherwise) {
    std::vector<std::int64_t> given = context.integers(name);
    if (given.empty()) given.assign(count, otherwise);
    if (given.size() != count) context.fail("{} has {} numbers, not {}", name, given.size(), count);
    for (const std::int64_t number : given)
      if (number < otherwise || number > INT32_MAX) context.fail("{} has {}", name, number);
    return given;
  };
  const std::size_t rank = image.size();
  if (rank == 0 || block.size() != rank) context.fail("{} image and {} block dimensions", rank, block.size());
  const auto dilations = option("dilations", rank, 1), strides = option("strides", rank, 1),
             pads = option("pads", 2 * rank, 0);
  std::vector<PatchAxis> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (image[i] < 1 || block[i] < 1 || image[i] > INT32_MAX || block[i] > INT32_MAX)
      context.fail("an image of {} with a block of {}", image[i], block[i]);
    const std::int64_t reach = dilations[i] * (block[i] - 1) + 1, room = image[i] + pads[i] + pads[rank + i] - reach;
    if (room < 0) context.fail("a block reaches over {} of {} elements", reach, image[i]);
    axes.push_back({.image = image[i],
                    .block = block[i],
                    .dilation = dilations[i],
                    .pad = pads[i],
                    .stride = strides[i],
                    .patches = room / strides[i] + 1});
  }
  return axes;
}

/// For each element of one channel's patches, block position by block position, where in the image it goes; -1 for
/// none.
std::vector<std::int64_t> patch_places(std::span<const PatchAxis> axes) {
  Dims dims;
  for (const PatchAxis& axis : axes) dims.push_back(axis.block);
  for (const PatchAxis& axis : axes) dims.push_back(axis.patches);
  std::vector<std::int64_t> places(static_cast<std::size_t>(element_count(dims)));
  for (StridedWalk walk(dims, {}); !walk.done(); walk.next()) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t at =
          walk.index(axes.size() + i) * axes[i].stride + walk.index(i) * axes[i].dilation - axes[i].pad;
      place = place < 0 || at < 0 || at >= axes[i].image ? -1 : place * axes[i].image + at;
    }
    places[walk.position()] = place;
  }
  return places;
}

template <class T>
void add_patches(const Tensor& patches, std::span<const std::int64_t> places, Tensor& images) {
  // Sums of reals round once; those of integers wrap.
  using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  const std::span<const T> from = patches.values<T>();
  const std::span<T> to = images.write<T>();
  const std::size_t channels = from.size() / places.size(), size = to.size() / channels;
  std::vector<Sum> sums(size);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::ranges::fill(sums, Sum{});
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] >= 0)
        sums[static_cast<std::size_t>(places[i])] += static_cast<Sum>(from[channel * places.size() + i]);
    for (std::size_t i = 0; i < size; ++i) {
      if constexpr (std::is_integral_v<T>) to[channel * size + i] = static_cast<T>(sums[i]);
      else to[channel * size + i] = rounded<T>(sums[i]);
    }
  }
}

void infer_col2im(InferContext& context) {
  const Shape* input = context.shape(0);
  const auto image = context.contents(1);
  const auto block = context.known_integers(2);
  const Shape* listed = context.shape(1);
  const Dim count = listed != nullptr && listed->size() == 1 ? (*listed)[0] : Dim();
  const bool counted = count.known() && count.value() >= 0 && count.value() <= 64;
  if (!image && !counted) return context.output(0, context.element(0));
  Shape shape(2 + (image ? image->size() : static_cast<std::size_t>(count.value())));
  if (input != nullptr && input->size() != 3) context.fail("the input has rank {}, not 3", input->size());
  if (input != nullptr) shape[0] = (*input)[0];
  if (input != nullptr && block) {
    Dim size = 1;
    for (const std::int64_t length : *block) size = size * length;
    if (size.known() && size.value() < 1) context.fail("a block of {} elements", size.value());
    shape[1] = floor_div((*input)[1], size);
  }
  for (std::size_t i = 0; image && i < image->size(); ++i) shape[2 + i] = (*image)[i];
  context.output(0, context.element(0), shape);
}

void evaluate_col2im(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() != 3) context.fail("the input has rank {}, not 3", input.rank());
  const std::vector<PatchAxis> axes = patch_axes(context);
  Dims blocks, patches;
  for (const PatchAxis& axis : axes) {
    blocks.push_back(axis.block);
    patches.push_back(axis.patches);
  }
  const std::int64_t block = element_count(blocks), count = element_count(patches);
  if (input.dim(1) % block != 0 || input.dim(2) != count)
    context.fail("the input {} is not made of {} patches of {} elements", text_of(input.shape()), count, block);
  Dims dims = {input.dim(0), input.dim(1) / block};
  for (const PatchAxis& axis : axes) dims.push_back(axis.image);
  Tensor images = Tensor::zeros(input.type(), dims);
  if (input.count() > 0) {
    const std::vector<std::int64_t> places = patch_places(axes);
    dispatch_number(input.type(), [&](auto zero) { add_patches<decltype(zero)>(input, places, images); });
  }
  context.output(0, std::move(images));
}

// clang-format off
const OpFamily patches_family({
    {.name = "CenterCropPad", .versions = {18}, .inputs = {2, 2}, .attributes = {integers("axes")},
     .kind = OpKind::movement, .infer = infer_center_crop_pad, .evaluate = evaluate_center_crop_pad},
    {.name = "Col2Im", .versions = {18}, .inputs = {3, 3},
     .attributes = {integers("dilations"), integers("pads"), integers("strides")},
     .kind = OpKind::movement, .infer = infer_col2im, .evaluate = evaluate_col2im},
});
// clang-format on

}  // namespace
}  // namespace hone
