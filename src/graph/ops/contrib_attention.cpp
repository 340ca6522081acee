#include <cmath>
#include <limits>

#include "graph/ops/as_operator.h"
#include "graph/ops/attention_heads.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"

// Attention and MultiHeadAttention as ONNX Runtime fuses them (domain com.microsoft).

namespace hone {
namespace {

std::int64_t head_count(const NodeReader& node) {
  const std::int64_t heads = node.integer("num_heads");
  if (heads < 1) node.fail("num_heads is {}", heads);
  return heads;
}

/// The scale attribute, or one over the root of the head's size.
double scale_of(const NodeReader& node, std::int64_t size) {
  const double given = node.has_attribute("scale") ? node.number("scale") : 0.0;
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(size));
}

RealArray optional_input(const EvaluateContext& context, std::size_t input) {
  return context.has_input(input) && !context.input(input).empty() ? RealArray::of(context.tensor(input)) : RealArray();
}

// Masks --------------------------------------------------------------------------------------------------------------

/// Dims of the scores a mask is added to.
struct ScoreDims {
  std::int64_t batch = 0, queries = 0, keys = 0;
};

/// Whether a mask input lets any query of batch entry `b` look at `key`: it holds ends [batch], ends and starts [2 *
/// batch], or one number for every key [batch, keys] or query and key [batch, queries, keys].
bool lets_through(const NodeReader& node, const Tensor& mask, const ScoreDims& dims, const Dims& index) {
  const std::int64_t batch = index[0], query = index[1], key = index[2];
  const auto at = [&](std::int64_t i) { return mask.integer_at(static_cast<std::size_t>(i)); };
  if (mask.rank() == 1 && mask.dim(0) == dims.batch) return key < at(batch);
  if (mask.rank() == 1 && mask.dim(0) == 2 * dims.batch) return key < at(batch) && key >= at(dims.batch + batch);
  if (mask.dims() == Dims{dims.batch, dims.keys}) return at(batch * dims.keys + key) != 0;
  if (mask.dims() == Dims{dims.batch, dims.queries, dims.keys})
    return at((batch * dims.queries + query) * dims.keys + key) != 0;
  node.fail("a mask of shape {} is not supported", text_of(mask.shape()));
}

/// What is added to the scores: the mask input's filter and, where the node is unidirectional, one for future keys.
RealArray score_mask(const EvaluateContext& context, std::size_t mask_input, const ScoreDims& dims) {
  const bool masked = context.has_input(mask_input), forward_only = context.integer("unidirectional") != 0;
  if (!masked && !forward_only) return {};
  const double filter = context.number("mask_filter_value");
  RealArray mask(Dims{dims.batch, 1, dims.queries, dims.keys});
  std::size_t position = 0;
  for (std::int64_t b = 0; b < dims.batch; ++b)
    for (std::int64_t q = 0; q < dims.queries; ++q)
      for (std::int64_t k = 0; k < dims.keys; ++k, ++position) {
        if (masked && !lets_through(context, context.tensor(mask_input), dims, {b, q, k}))
          mask.values[position] += filter;
        if (forward_only && k > dims.keys - dims.queries + q) mask.values[position] += filter;
      }
  return mask;
}

/// The mask plus a bias input that broadcasts to [batch, heads, queries, keys].
RealArray with_bias(const EvaluateContext& context, RealArray mask, std::size_t bias_input, const Dims& scores) {
  if (!context.has_input(bias_input)) return mask;
  RealArray sum(scores);
  add(context, sum, RealArray::of(context.tensor(bias_input)));
  if (mask.count() != 0) add(context, sum, mask);
  return sum;
}

/// Fills in scale and mask, runs, and gives output 0 = [batch, queries, hidden].
void output_attention(EvaluateContext& context, HeadAttention attention, std::size_t mask_input,
                      std::size_t bias_input) {
  const Dims &q = attention.query.dims, &k = attention.key.dims;
  attention.scale = scale_of(context, q[3]);
  const ScoreDims dims{.batch = q[0], .queries = q[2], .keys = k[2]};
  attention.mask = with_bias(context, score_mask(context, mask_input, dims), bias_input, {q[0], q[1], q[2], k[2]});
  context.output(0, merge_heads(attention.run(context)).rounded(context.tensor(0).type()));
}

// Attention: input [batch, places, in], weights [in, q + k + v], bias, mask, past [2, batch, heads, past, size], bias
// of scores

/// Widths of query, key and value in the projected input.
std::vector<Dim> projected_widths(const NodeReader& node, Dim total) {
  const std::vector<std::int64_t> given = node.integers("qkv_hidden_sizes");
  if (given.empty()) return std::vector<Dim>(3, floor_div(total, 3));
  if (given.size() != 3 || given[0] < 0 || given[1] < 0 || given[2] < 0)
    node.fail("qkv_hidden_sizes are not three sizes");
  return {given.begin(), given.end()};
}

void infer_contrib_attention(InferContext& context) {
  const Shape *input = context.shape(0), *weights = context.shape(1), *past = context.shape(4);
  if (input != nullptr && input->size() != 3) context.fail("the input {} has not 3 axes", text_of(*input));
  const Dim batch = input ? (*input)[0] : Dim(), places = input ? (*input)[1] : Dim();
  const auto widths = projected_widths(context, weights && weights->size() == 2 ? (*weights)[1] : Dim());
  context.output(0, context.element(0), {batch, places, widths[2]});
  const Dim before = !context.has_input(4) ? Dim(0) : past && past->size() == 5 ? (*past)[3] : Dim();
  const Dim heads = head_count(context);
  context.output(1, context.element(0), {2, batch, heads, before + places, floor_div(widths[1], heads)});
}

/// Columns [first, first + width) of the last axis.
RealArray columns(const RealArray& from, std::int64_t first, std::int64_t width) {
  RealArray part(Dims{from.dim(0), from.dim(1), width});
  for (std::int64_t row = 0; row < from.dim(0) * from.dim(1); ++row)
    std::copy_n(from.values.data() + row * from.dim(2) + first, width, part.values.data() + row * width);
  return part;
}

/// input * weights + bias.
RealArray projected(const EvaluateContext& context) {
  const RealArray input = RealArray::of(context.tensor(0)), weights = RealArray::of(context.tensor(1));
  if (input.rank() != 3 || weights.rank() != 2) context.fail("input or weights have the wrong rank");
  const Datum factors[] = {input.rounded(ElementType::float64), weights.rounded(ElementType::float64)};
  RealArray product = RealArray::of(tensor_as(context, {.name = "MatMul", .opset = 13}, factors));
  if (context.has_input(2)) add(context, product, RealArray::of(context.tensor(2)));
  return product;
}

/// Half `which` of the past [2, batch, heads, places, size].
RealArray past_half(const EvaluateContext& context, std::size_t which) {
  const RealArray past = optional_input(context, 4);
  if (past.count() == 0) return {};
  if (past.rank() != 5 || past.dim(0) != 2) context.fail("the past has not the shape [2,batch,heads,places,size]");
  const auto half = static_cast<std::ptrdiff_t>(past.count() / 2);
  const auto first = past.values.begin() + static_cast<std::ptrdiff_t>(which) * half;
  return {Dims{past.dim(1), past.dim(2), past.dim(3), past.dim(4)}, std::vector<double>(first, first + half)};
}

void evaluate_contrib_attention(EvaluateContext& context) {
  if (context.integer("do_rotary") != 0) context.fail("rotary embeddings inside Attention are not supported");
  const RealArray all = projected(context);
  const auto widths = projected_widths(context, all.dim(2));
  const std::int64_t q = widths[0].value(), k = widths[1].value(), v = widths[2].value(), heads = head_count(context);
  if (q != k || q + k + v != all.dim(2))
    context.fail("query, key and value have widths {}, {}, {} of {}", q, k, v, all.dim(2));
  HeadAttention attention;
  attention.query = split_heads(context, columns(all, 0, q), heads);
  attention.key = after_past(context, past_half(context, 0), split_heads(context, columns(all, q, k), heads));
  attention.value = after_past(context, past_half(context, 1), split_heads(context, columns(all, q + k, v), heads));
  if (context.wants_output(1)) {
    if (k != v) context.fail("keys and values of different size have no common present");
    const Dims& dims = attention.key.dims;
    RealArray present(Dims{2, dims[0], dims[1], dims[2], dims[3]}, attention.key.values);
    present.values.insert(present.values.end(), attention.value.values.begin(), attention.value.values.end());
    context.output(1, present.rounded(context.tensor(0).type()));
  }
  output_attention(context, std::move(attention), 3, 5);
}

/// Two products over all pairs of places, for hidden widths `key` and `value`.
double score_flops(double batch, double queries, double keys, double widths) {
  return 2 * batch * queries * keys * widths;
}

double contrib_attention_flops(const CostContext& context) {
  const double batch = context.input_dim(0, 0), places = context.input_dim(0, 1), width = context.output_dim(0, 2);
  const double past = context.has_input(4) ? context.input_dim(4, 3) : 0;
  return 2 * batch * places * context.input_elements(1) + score_flops(batch, places, places + past, 2 * width);
}

// MultiHeadAttention: query, key, value, bias, padding mask, bias of scores, past key, past value
// --------------------------- query [b,s,hidden] or packed [b,s,heads,3,size]; key [b,l,hidden], packed with value
// [b,l,heads,2,size] or [b,heads,l,size]

constexpr std::size_t kMultiHeadPastKey = 6, kMultiHeadPastValue = 7;

void infer_multi_head(InferContext& context) {
  const Shape *query = context.shape(0), *key = context.shape(1), *value = context.shape(2);
  const Dim heads = head_count(context);
  if (query == nullptr || (query->size() != 3 && query->size() != 5)) {
    context.output(0, context.element(0), Shape(3));
    context.output(1, context.element(0), Shape(4));
    context.output(2, context.element(0), Shape(4));
    return;
  }
  const Dim batch = (*query)[0], places = (*query)[1];
  const bool packed = query->size() == 5;
  const Dim size = packed ? (*query)[4] : floor_div((*query)[2], heads);
  Dim keys, value_size;
  if (packed) keys = places, value_size = size;
  else if (key && key->size() == 5) keys = (*key)[1], value_size = (*key)[4];
  else if (value && value->size() == 4) keys = (*value)[2], value_size = (*value)[3];
  else if (value && value->size() == 3) keys = (*value)[1], value_size = floor_div((*value)[2], heads);
  context.output(0, context.element(0), {batch, places, heads * value_size});
  const Shape* past = context.shape(kMultiHeadPastKey);
  const Dim before = !context.has_input(kMultiHeadPastKey) ? Dim(0) : past && past->size() == 4 ? (*past)[2] : Dim();
  context.output(1, context.element(0), {batch, heads, before + keys, size});
  context.output(2, context.element(0), {batch, heads, before + keys, value_size});
}

/// Part `which` of [batch, places, heads, parts, size] as heads.
RealArray unpacked_part(const RealArray& packed, std::int64_t which) {
  const std::int64_t heads = packed.dim(2), parts = packed.dim(3), size = packed.dim(4);
  RealArray result(Dims{packed.dim(0), heads, packed.dim(1), size});
  double* to = result.values.data();
  for (std::int64_t b = 0; b < packed.dim(0); ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t s = 0; s < packed.dim(1); ++s)
        to = std::copy_n(packed.values.data() + (((b * packed.dim(1) + s) * heads + h) * parts + which) * size, size,
                         to);
  return result;
}

/// Adds bias elements [first, first + width) to rows of [batch, places, width].
void add_bias_part(const EvaluateContext& context, RealArray& rows, std::int64_t first) {
  if (!context.has_input(3) || rows.rank() != 3) return;
  const RealArray bias = RealArray::of(context.tensor(3));
  if (first + rows.dim(2) > std::ssize(bias.values)) context.fail("the bias has only {} elements", bias.count());
  const auto start = bias.values.begin() + first;
  add(context, rows, RealArray(Dims{rows.dim(2)}, std::vector<double>(start, start + rows.dim(2))));
}

/// Input as heads: [batch, heads, places, size] stays, [batch, places, hidden] gets its part of the bias and is split.
RealArray as_heads(const EvaluateContext& context, std::size_t input, std::int64_t bias_start) {
  RealArray rows = RealArray::of(context.tensor(input));
  if (rows.rank() == 4) return rows;
  add_bias_part(context, rows, bias_start);
  return split_heads(context, rows, head_count(context));
}

void evaluate_multi_head(EvaluateContext& context) {
  HeadAttention attention;
  const RealArray query = RealArray::of(context.tensor(0));
  if (query.rank() == 5 && query.dim(3) == 3) {
    attention.query = unpacked_part(query, 0);
    attention.key = unpacked_part(query, 1);
    attention.value = unpacked_part(query, 2);
  } else {
    attention.query = as_heads(context, 0, 0);
    const std::int64_t hidden = query.dims.back();
    const RealArray key = RealArray::of(context.tensor(1));
    if (key.rank() == 5 && key.dim(3) == 2) {
      attention.key = unpacked_part(key, 0);
      attention.value = unpacked_part(key, 1);
    } else {
      attention.key = as_heads(context, 1, hidden);
      attention.value = as_heads(context, 2, 2 * hidden);
    }
  }
  attention.key = after_past(context, optional_input(context, kMultiHeadPastKey), attention.key);
  attention.value = after_past(context, optional_input(context, kMultiHeadPastValue), attention.value);
  if (context.wants_output(1)) context.output(1, attention.key.rounded(context.tensor(0).type()));
  if (context.wants_output(2)) context.output(2, attention.value.rounded(context.tensor(0).type()));
  output_attention(context, std::move(attention), 4, 5);
}

double multi_head_flops(const CostContext& context) {
  const bool packed = context.input(0).shape.size() == 5;
  const double batch = context.input_dim(0, 0), places = context.input_dim(0, 1), width = context.output_dim(0, 2);
  const double past = context.has_input(kMultiHeadPastKey) ? context.input_dim(kMultiHeadPastKey, 2) : 0;
  const bool by_head = context.has_input(1) && context.input(1).shape.size() == 4;
  const double keys = packed ? places : context.input_dim(1, by_head ? 2 : 1);
  return score_flops(batch, places, keys + past, 2 * width);
}

/// QAttention: types as Attention's, whose past stands later and whose result is float.
void infer_quantized_attention(InferContext& context) {
  const Shape *input = context.shape(0), *weights = context.shape(1), *past = context.shape(8);
  if (input == nullptr || input->size() != 3) return context.output(0, context.element(3), Shape(3));
  const Dim width = weights && weights->size() == 2 ? floor_div((*weights)[1], 3) : Dim();
  context.output(0, context.element(3), {(*input)[0], (*input)[1], width});
  const Dim before = !context.has_input(8) ? Dim(0) : past && past->size() == 5 ? (*past)[3] : Dim();
  context.output(1, context.element(3),
                 {2, (*input)[0], head_count(context), before + (*input)[1], floor_div(width, head_count(context))});
}

double quantized_attention_flops(const CostContext& context) {
  const double batch = context.input_dim(0, 0), places = context.input_dim(0, 1), width = context.output_dim(0, 2);
  return 2 * batch * places * context.input_elements(1) + score_flops(batch, places, places, 2 * width);
}

// clang-format off
const OpFamily contrib_attention_family({
    {.name = "Attention", .domain = kContribDomain, .versions = {1}, .inputs = {2, 7}, .outputs = {1, 2},
     .attributes = {integer("num_heads"), integer("unidirectional", 0), integer("do_rotary", 0), integers("qkv_hidden_sizes"),
                    number("mask_filter_value", -10000.0f), number("scale"), integer("past_present_share_buffer"),
                    integer("rotary_embedding_dim")},
     .kind = OpKind::contraction, .infer = infer_contrib_attention, .evaluate = evaluate_contrib_attention, .flops = contrib_attention_flops},
    {.name = "MultiHeadAttention", .domain = kContribDomain, .versions = {1}, .inputs = {1, 10}, .outputs = {1, 4},
     .attributes = {integer("num_heads"), integer("unidirectional", 0), number("mask_filter_value", -10000.0f), number("scale")},
     .kind = OpKind::contraction, .infer = infer_multi_head, .evaluate = evaluate_multi_head, .flops = multi_head_flops},
    {.name = "QAttention", .domain = kContribDomain, .versions = {1}, .inputs = {5, 9}, .outputs = {1, 2},
     .attributes = {integer("num_heads"), integer("unidirectional", 0), integer("do_rotary", 0),
                    number("mask_filter_value", -10000.0f), number("scale"), integer("past_present_share_buffer")},
     .kind = OpKind::contraction, .infer = infer_quantized_attention, .flops = quantized_attention_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
