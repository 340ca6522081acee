#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/moments.h"
#include "graph/ops/real_array.h"

// Normalisations that ONNX Runtime fuses with what stands before them (domain com.microsoft).

namespace hone {
namespace {

/// How rows are normalised: layer normalisation, or by the root mean square alone ("simplified").
enum class Norm { layer, root_mean_square };

/// Scale and shift of a normalised row, one number an element.
struct Affine {
  RealArray scale;
  RealArray shift;  // empty for none
};

/// Mean and inverse deviation of every row.
struct RowStatistics {
  std::vector<double> mean;
  std::vector<double> inverse_deviation;
};

/// The mean square, which the simplified norm takes for the variance.
Moments around_zero(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return {.mean = 0, .variance = squares / static_cast<double>(row.size())};
}

/// Normalises rows of `width` numbers in place.
RowStatistics normalize_rows(const NodeReader& node, RealArray& numbers, std::size_t width, Norm norm,
                             const Affine& affine) {
  if (affine.scale.count() != width || (affine.shift.count() != 0 && affine.shift.count() != width))
    node.fail("scale or shift does not have the {} elements of a row", width);
  const double epsilon = node.number("epsilon");
  RowStatistics statistics;
  for (std::size_t first = 0; first < numbers.count(); first += width) {
    const std::span<double> row = std::span(numbers.values).subspan(first, width);
    const auto [mean, variance] = norm == Norm::layer ? moments_of(row) : around_zero(row);
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      row[i] = (row[i] - mean) * inverse * affine.scale.values[i];
      if (affine.shift.count() != 0) row[i] += affine.shift.values[i];
    }
    statistics.mean.push_back(mean);
    statistics.inverse_deviation.push_back(inverse);
  }
  return statistics;
}

std::size_t last_dim(const NodeReader& node, const RealArray& numbers) {
  if (numbers.rank() == 0) node.fail("the input is a scalar");
  return static_cast<std::size_t>(numbers.dims.back());
}

RealArray input_if_given(const EvaluateContext& context, std::size_t input) {
  return context.has_input(input) ? RealArray::of(context.tensor(input)) : RealArray();
}

/// A sum, two sums of squares' worth of work and a multiplication an element.
double norm_flops(const CostContext& context) { return 7 * context.input_elements(0); }

// SimplifiedLayerNormalization: input, scale -> output, inverse deviation; normalises all axes from `axis` on
// --------------

void infer_simplified(InferContext& context) {
  context.output(0, context.type(0).is_tensor() && context.element(1) != ElementType::undefined
                        ? Type{.kind = Type::Kind::tensor,
                               .element = context.element(1),
                               .ranked = context.type(0).ranked,
                               .shape = context.type(0).shape,
                               .inner = {}}
                        : context.type(0));
  if (context.shape(0) == nullptr) return context.output(1, ElementType::float32);
  Shape shape = *context.shape(0);
  for (std::size_t i = normalize_axis(context, context.integer("axis"), shape.size()); i < shape.size(); ++i)
    shape[i] = 1;
  context.output(1, ElementType::float32, shape);
}

void evaluate_simplified(EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  Dims dims = numbers.dims;
  std::size_t width = 1;
  for (std::size_t i = normalize_axis(context, context.integer("axis"), dims.size()); i < dims.size(); ++i) {
    width *= static_cast<std::size_t>(dims[i]);
    dims[i] = 1;
  }
  const Affine affine{.scale = RealArray::of(context.tensor(1)), .shift = {}};
  RowStatistics rows = normalize_rows(context, numbers, width, Norm::root_mean_square, affine);
  context.output(0, numbers.rounded(context.tensor(1).type()));
  context.output(1, RealArray(dims, std::move(rows.inverse_deviation)).rounded(ElementType::float32));
}

// Skip...Normalization: input, skip, gamma, [beta,] bias -> output, mean, inverse deviation, sum of the inputs
// --------------

void infer_skip(InferContext& context) {
  context.output(0, context.type(0));
  context.output(3, context.type(0));
  for (const std::size_t statistic : {1, 2}) {
    if (context.shape(0) == nullptr) {
      context.output(statistic, ElementType::float32);
      continue;
    }
    Shape shape = *context.shape(0);
    if (shape.empty()) context.fail("the input is a scalar");
    shape.back() = 1;
    context.output(statistic, ElementType::float32, shape);
  }
}

template <Norm kNorm>
void evaluate_skip(EvaluateContext& context) {
  constexpr std::size_t kBias = kNorm == Norm::layer ? 4 : 3;
  const ElementType type = context.tensor(0).type();
  RealArray numbers = RealArray::of(context.tensor(0));
  add(context, numbers, RealArray::of(context.tensor(1)));
  if (context.has_input(kBias)) add(context, numbers, RealArray::of(context.tensor(kBias)));
  context.output(3, numbers.rounded(type));
  const Affine affine{.scale = RealArray::of(context.tensor(2)),
                      .shift = kNorm == Norm::layer ? input_if_given(context, 3) : RealArray()};
  Dims dims = numbers.dims;
  RowStatistics rows = normalize_rows(context, numbers, last_dim(context, numbers), kNorm, affine);
  dims.back() = 1;
  context.output(0, numbers.rounded(type));
  context.output(1, RealArray(dims, std::move(rows.mean)).rounded(ElementType::float32));
  context.output(2, RealArray(dims, std::move(rows.inverse_deviation)).rounded(ElementType::float32));
}

// EmbedLayerNormalization
// -------------------------------------------------------------------------------------------------- inputs  word ids,
// segment ids, word table, position table, segment table, gamma, beta, mask, position ids outputs embedding [batch,
// sequence, hidden], mask lengths [batch], sum before the normalisation

void infer_embed(InferContext& context) {
  const Shape* ids = context.shape(0);
  const Shape* words = context.shape(2);
  if (ids != nullptr && ids->size() != 2) context.fail("the ids {} are no matrix", text_of(*ids));
  const Dim batch = ids != nullptr ? (*ids)[0] : Dim(), length = ids != nullptr ? (*ids)[1] : Dim();
  const Dim hidden = words != nullptr && words->size() == 2 ? (*words)[1] : Dim();
  context.output(0, context.element(2), {batch, length, hidden});
  context.output(1, ElementType::int32, {batch});
  context.output(2, context.element(2), {batch, length, hidden});
}

/// A table of embeddings, one row a word.
struct EmbeddingTable {
  const EvaluateContext& context;
  RealArray rows;

  EmbeddingTable(const EvaluateContext& of, std::size_t input) : context(of), rows(RealArray::of(of.tensor(input))) {
    if (rows.rank() != 2) of.fail("embedding table {} is no matrix", input);
  }
  void add_row(std::int64_t index, std::span<double> sum) const {
    if (index < 0 || index >= rows.dim(0)) context.fail("there is no embedding {} among {}", index, rows.dim(0));
    if (rows.dim(1) != std::ssize(sum)) context.fail("the embeddings differ in length");
    const double* row = rows.values.data() + index * rows.dim(1);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i];
  }
};

/// Set elements in every row of the mask; 0 without a mask.
Tensor mask_lengths(const EvaluateContext& context, std::int64_t batch, std::int64_t length) {
  Tensor lengths = Tensor::zeros(ElementType::int32, {batch});
  if (!context.has_input(7)) return lengths;
  const std::vector<std::int64_t> mask = context.tensor(7).integers();
  if (std::ssize(mask) != batch * length)
    context.fail("the mask has {} elements for {} ids", mask.size(), batch * length);
  for (std::size_t i = 0; i < mask.size(); ++i)
    lengths.write<std::int32_t>()[i / static_cast<std::size_t>(length)] += mask[i] != 0 ? 1 : 0;
  return lengths;
}

void evaluate_embed(EvaluateContext& context) {
  const Tensor& ids = context.tensor(0);
  if (ids.rank() != 2) context.fail("the ids {} are no matrix", text_of(ids.shape()));
  const EmbeddingTable words(context, 2), positions(context, 3);
  const bool has_segments = context.has_input(1) && context.has_input(4);
  const std::int64_t batch = ids.dim(0), length = ids.dim(1), hidden = words.rows.dim(1);
  const Tensor given_positions = context.has_input(8) ? context.tensor(8) : Tensor();
  if (has_segments && context.tensor(1).count() != ids.count()) context.fail("there are not as many segments as ids");
  RealArray sums(Dims{batch, length, hidden});
  for (std::size_t i = 0; i < ids.count(); ++i) {
    const std::span<double> sum =
        std::span(sums.values).subspan(i * static_cast<std::size_t>(hidden), static_cast<std::size_t>(hidden));
    const std::size_t place = i % static_cast<std::size_t>(length);
    words.add_row(ids.integer_at(i), sum);
    const std::size_t given = given_positions.count() == ids.count() ? i : place;
    if (given_positions.count() != 0 && given >= given_positions.count())
      context.fail("there are not as many positions as ids");
    positions.add_row(
        given_positions.count() != 0 ? given_positions.integer_at(given) : static_cast<std::int64_t>(place), sum);
  }
  if (has_segments) {
    const EmbeddingTable segments(context, 4);
    for (std::size_t i = 0; i < ids.count(); ++i)
      segments.add_row(
          context.tensor(1).integer_at(i),
          std::span(sums.values).subspan(i * static_cast<std::size_t>(hidden), static_cast<std::size_t>(hidden)));
  }
  const ElementType type = context.tensor(2).type();
  context.output(2, sums.rounded(type));
  const Affine affine{.scale = RealArray::of(context.tensor(5)), .shift = RealArray::of(context.tensor(6))};
  normalize_rows(context, sums, static_cast<std::size_t>(hidden), Norm::layer, affine);
  context.output(0, sums.rounded(type));
  context.output(1, mask_lengths(context, batch, length));
}

// GroupNorm: normalises groups of channels of one image, optionally followed by x * sigmoid(x)
// ------------------------------

void infer_group_norm(InferContext& context) { context.output(0, context.type(0)); }

/// Distances between channels and between places, and how many of each there are, in one image.
struct ImageLayout {
  std::size_t channels = 0, places = 0;
  std::size_t channel_stride = 0, place_stride = 0;
};

ImageLayout image_layout(const NodeReader& node, const RealArray& x) {
  if (x.rank() < 2) node.fail("the input has rank {}", x.rank());
  const bool channels_last = node.integer("channels_last") != 0;
  ImageLayout layout{.channels = static_cast<std::size_t>(x.dims[channels_last ? x.rank() - 1 : 1]), .places = 1};
  for (std::size_t i = 1; i < x.rank(); ++i)
    if (i != (channels_last ? x.rank() - 1 : 1)) layout.places *= static_cast<std::size_t>(x.dim(i));
  layout.channel_stride = channels_last ? 1 : layout.places;
  layout.place_stride = channels_last ? layout.channels : 1;
  return layout;
}

void evaluate_group_norm(EvaluateContext& context) {
  RealArray x = RealArray::of(context.tensor(0));
  const RealArray gamma = RealArray::of(context.tensor(1)), beta = RealArray::of(context.tensor(2));
  const ImageLayout layout = image_layout(context, x);
  const std::int64_t groups = context.integer("groups");
  if (groups < 1 || layout.channels % static_cast<std::size_t>(groups) != 0)
    context.fail("{} channels in {} groups", layout.channels, groups);
  if (gamma.count() != layout.channels || beta.count() != layout.channels)
    context.fail("scale or shift does not have {} elements", layout.channels);
  const std::size_t width = layout.channels / static_cast<std::size_t>(groups);
  const auto members = static_cast<double>(width * layout.places);
  const double epsilon = context.number("epsilon");
  const bool swish = context.integer("activation") != 0;
  const std::size_t image = layout.channels * layout.places;
  for (std::size_t first = 0; first < x.count(); first += image) {
    for (std::size_t start = 0; start < layout.channels; start += width) {
      const auto each = [&](auto&& visit) {
        for (std::size_t c = start; c < start + width; ++c)
          for (std::size_t p = 0; p < layout.places; ++p)
            visit(x.values[first + c * layout.channel_stride + p * layout.place_stride], c);
      };
      double mean = 0, variance = 0;
      each([&](double value, std::size_t) { mean += value / members; });
      each([&](double value, std::size_t) { variance += (value - mean) * (value - mean) / members; });
      const double inverse = 1 / std::sqrt(variance + epsilon);
      each([&](double& value, std::size_t c) {
        value = (value - mean) * inverse * gamma.values[c] + beta.values[c];
        if (swish) value /= 1 + std::exp(-value);
      });
    }
  }
  context.output(0, x.rounded(context.tensor(0).type()));
}

std::vector<AttributeSpec> simplified_attributes() {
  return {integer("axis", -1), number("epsilon", 1e-5f), integer("stash_type", 1)};
}

// clang-format off
const OpFamily contrib_normalization_family({
    // ONNX Runtime writes this one without a domain too.
    {.name = "SimplifiedLayerNormalization", .versions = {1}, .inputs = {2, 2}, .outputs = {1, 2},
     .attributes = simplified_attributes(), .kind = OpKind::reduction,
     .infer = infer_simplified, .evaluate = evaluate_simplified, .flops = norm_flops},
    {.name = "SimplifiedLayerNormalization", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2}, .outputs = {1, 2},
     .attributes = simplified_attributes(), .kind = OpKind::reduction,
     .infer = infer_simplified, .evaluate = evaluate_simplified, .flops = norm_flops},
    {.name = "SkipLayerNormalization", .domain = kContribDomain, .versions = {1}, .inputs = {3, 5}, .outputs = {1, 4},
     .attributes = {number("epsilon", 1e-12f)}, .kind = OpKind::reduction,
     .infer = infer_skip, .evaluate = evaluate_skip<Norm::layer>, .flops = norm_flops},
    {.name = "SkipSimplifiedLayerNormalization", .domain = kContribDomain, .versions = {1}, .inputs = {3, 4}, .outputs = {1, 4},
     .attributes = {number("epsilon", 1e-12f)}, .kind = OpKind::reduction,
     .infer = infer_skip, .evaluate = evaluate_skip<Norm::root_mean_square>, .flops = norm_flops},
    {.name = "EmbedLayerNormalization", .domain = kContribDomain, .versions = {1}, .inputs = {7, 9}, .outputs = {1, 3},
     .attributes = {number("epsilon", 1e-12f), integer("mask_index_type", 0)}, .kind = OpKind::reduction,
     .infer = infer_embed, .evaluate = evaluate_embed},
    {.name = "GroupNorm", .domain = kContribDomain, .versions = {1}, .inputs = {3, 3},
     .attributes = {integer("activation"), integer("channels_last", 1), number("epsilon", 1e-5f), integer("groups")},
     .kind = OpKind::reduction, .infer = infer_group_norm, .evaluate = evaluate_group_norm, .flops = norm_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
