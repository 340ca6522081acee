#include <cmath>
#include <limits>

#include "graph/ops/attention_heads.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators of text decoders as ONNX Runtime writes them (domain com.microsoft): rotary embeddings, attention with
// fewer key heads than query heads.

namespace hone {
namespace {

// RotaryEmbedding: input [batch, places, hidden] or [batch, heads, places, size], positions, cosines, sines
// --------------

std::int64_t rotary_head_size(const EvaluateContext& context, const RealArray& input, const Rotation& rotation) {
  if (input.rank() == 4) return input.dim(3);
  const std::int64_t heads = context.integer("num_heads");
  if (heads > 0) return input.dim(2) / heads;
  return context.integer("rotary_embedding_dim") > 0 ? 0 : 2 * rotation.pairs();
}

/// Position of a place: one for each [batch, places], or the first of them all.
std::int64_t position_of(const EvaluateContext& context, const Tensor& positions, std::int64_t index,
                         std::int64_t place) {
  if (positions.count() == 1) return positions.integer_at(0) + place;
  if (index >= static_cast<std::int64_t>(positions.count()))
    context.fail("there are only {} positions", positions.count());
  return positions.integer_at(static_cast<std::size_t>(index));
}

void evaluate_contrib_rotary(EvaluateContext& context) {
  RealArray input = RealArray::of(context.tensor(0));
  if (input.rank() != 3 && input.rank() != 4) context.fail("the input has rank {}, takes 3 or 4", input.rank());
  if (context.number("scale") != 1) context.fail("a scale of {} is not supported", context.number("scale"));
  const Rotation rotation =
      make_rotation(context, context.tensor(2), context.tensor(3), context.integer("interleaved"));
  const std::int64_t size = rotary_head_size(context, input, rotation);
  if (size < 1 || input.dims.back() % size != 0) context.fail("the size of a head is not known");
  const std::int64_t heads = input.rank() == 4 ? input.dim(1) : input.dim(2) / size;
  const std::int64_t places = input.rank() == 4 ? input.dim(2) : input.dim(1);
  std::int64_t first = 0;
  for (std::int64_t b = 0; b < input.dim(0); ++b) {
    // Heads come before places in the form with four axes, after them in the other.
    for (std::int64_t i = 0; i < heads * places; ++i, first += size) {
      const std::int64_t place = input.rank() == 4 ? i % places : i / heads;
      const std::int64_t position = position_of(context, context.tensor(1), b * places + place, place);
      rotation.turn(context,
                    std::span(input.values).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)),
                    position);
    }
  }
  context.output(0, input.rounded(context.tensor(0).type()));
}

/// Three operations an element.
double contrib_rotary_flops(const CostContext& context) { return 3 * context.output_elements(0); }

// GroupQueryAttention
// ------------------------------------------------------------------------------------------------------ inputs  query,
// key, value, past key, past value, last key of every batch entry, keys in all, cosines, sines, positions,
//         bias of scores, head sink
// outputs result [batch, places, hidden], present key, present value [batch, key heads, buffer, size]

enum GroupInput : std::size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLastKeys,
  kAllKeys,
  kCosines,
  kSines,
  kPositions,
  kScoreBias,
  kSink
};

struct GroupHeads {
  std::int64_t query = 1;
  std::int64_t key = 1;
};

GroupHeads group_heads(const NodeReader& node) {
  const GroupHeads heads{.query = node.integer("num_heads"), .key = node.integer("kv_num_heads")};
  if (heads.key < 1 || heads.query < heads.key || heads.query % heads.key != 0)
    node.fail("{} query heads for {} key heads", heads.query, heads.key);
  return heads;
}

void infer_group(InferContext& context) {
  const GroupHeads heads = group_heads(context);
  const Shape *query = context.shape(kQuery), *past = context.shape(kPastKey);
  const bool packed = !context.has_input(kKey);
  Dim batch, places, width;
  if (query != nullptr) {
    if (query->size() != 3) context.fail("the query {} has not 3 axes", text_of(*query));
    batch = (*query)[0], places = (*query)[1], width = (*query)[2];
  }
  const Dim size = floor_div(width, packed ? heads.query + 2 * heads.key : heads.query);
  context.output(0, context.element(kQuery), {batch, places, Dim(heads.query) * size});
  const auto all = context.contents(kAllKeys);
  const Dim before = !context.has_input(kPastKey) ? Dim(0) : past && past->size() == 4 ? (*past)[2] : Dim();
  const Dim buffer = all && all->size() == 1 ? maximum(before, all->front()) : Dim();
  for (const std::size_t present : {1, 2})
    context.output(present, context.element(kQuery), {batch, heads.key, buffer, size});
}

/// Query, new keys and new values as heads.
HeadAttention new_heads(const EvaluateContext& context, const GroupHeads& heads) {
  HeadAttention attention;
  if (context.has_input(kKey)) {
    attention.query = split_heads(context, RealArray::of(context.tensor(kQuery)), heads.query);
    attention.key = split_heads(context, RealArray::of(context.tensor(kKey)), heads.key);
    attention.value = split_heads(context, RealArray::of(context.tensor(kValue)), heads.key);
    return attention;
  }
  const RealArray all = split_heads(context, RealArray::of(context.tensor(kQuery)), heads.query + 2 * heads.key);
  const auto take = [&](std::int64_t first, std::int64_t count) {
    RealArray part(Dims{all.dim(0), count, all.dim(2), all.dim(3)});
    const std::int64_t head = all.dim(2) * all.dim(3);
    for (std::int64_t b = 0; b < all.dim(0); ++b)
      std::copy_n(all.values.data() + (b * all.dim(1) + first) * head, count * head,
                  part.values.data() + b * count * head);
    return part;
  };
  attention.query = take(0, heads.query);
  attention.key = take(heads.query, heads.key);
  attention.value = take(heads.query + heads.key, heads.key);
  return attention;
}

/// How many keys every batch entry has from before.
std::vector<std::int64_t> past_lengths(const EvaluateContext& context, std::int64_t batch, std::int64_t places) {
  const Tensor &last = context.tensor(kLastKeys), &all = context.tensor(kAllKeys);
  if (static_cast<std::int64_t>(last.count()) != batch || all.count() != 1)
    context.fail("the key counts do not fit a batch of {}", batch);
  const bool first_run = all.integer_at(0) == places;
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = first_run ? 0 : last.integer_at(static_cast<std::size_t>(b)) + 1 - places;
    if (length < 0) context.fail("batch entry {} has fewer keys than queries", b);
    lengths.push_back(length);
  }
  return lengths;
}

/// Turns every head by its place's position.
void rotate_heads(const EvaluateContext& context, RealArray& heads, const Rotation& rotation,
                  std::span<const std::int64_t> before) {
  const std::int64_t places = heads.dim(2), size = heads.dim(3);
  for (std::int64_t row = 0; row < heads.dim(0) * heads.dim(1) * places; ++row) {
    const std::int64_t b = row / (heads.dim(1) * places), place = row % places;
    const std::int64_t position = context.has_input(kPositions)
                                      ? position_of(context, context.tensor(kPositions), b * places + place, place)
                                      : before[static_cast<std::size_t>(b)] + place;
    rotation.turn(context,
                  std::span(heads.values).subspan(static_cast<std::size_t>(row * size), static_cast<std::size_t>(size)),
                  position);
  }
}

/// The buffer of keys or values with the new ones put behind each entry's past.
RealArray with_new(const EvaluateContext& context, std::size_t past_input, const RealArray& added,
                   std::span<const std::int64_t> before, std::int64_t buffer) {
  RealArray whole(Dims{added.dim(0), added.dim(1), buffer, added.dim(3)});
  const std::int64_t size = added.dim(3), places = added.dim(2);
  const RealArray past = context.has_input(past_input) ? RealArray::of(context.tensor(past_input)) : RealArray();
  const bool has_past = past.count() != 0;
  if (has_past &&
      (past.rank() != 4 || past.dim(0) != added.dim(0) || past.dim(1) != added.dim(1) || past.dim(3) != size))
    context.fail("the past does not fit the keys");
  for (std::int64_t head = 0; head < added.dim(0) * added.dim(1); ++head) {
    const std::int64_t length = before[static_cast<std::size_t>(head / added.dim(1))];
    if (length + places > buffer || length > (has_past ? past.dim(2) : 0))
      context.fail("the past has fewer than {} keys", length);
    double* to = whole.values.data() + head * buffer * size;
    if (has_past) std::copy_n(past.values.data() + head * past.dim(2) * size, length * size, to);
    std::copy_n(added.values.data() + head * places * size, places * size, to + length * size);
  }
  return whole;
}

/// Minus infinity for keys after the query's own and, with a window, for those too far before it.
RealArray causal_mask(const EvaluateContext& context, std::span<const std::int64_t> before, std::int64_t places,
                      std::int64_t keys) {
  const std::int64_t window = context.integer("local_window_size");
  RealArray mask(Dims{std::ssize(before), 1, places, keys});
  std::size_t position = 0;
  for (const std::int64_t length : before)
    for (std::int64_t q = 0; q < places; ++q)
      for (std::int64_t k = 0; k < keys; ++k, ++position)
        if (k > length + q || (window >= 0 && k < length + q - window))
          mask.values[position] = -std::numeric_limits<double>::infinity();
  return mask;
}

void evaluate_group(EvaluateContext& context) {
  if (context.has_input(kSink) || context.integer("smooth_softmax") > 0)
    context.fail("attention sinks are not supported");
  const GroupHeads heads = group_heads(context);
  HeadAttention attention = new_heads(context, heads);
  const std::int64_t places = attention.query.dim(2), size = attention.query.dim(3);
  const std::vector<std::int64_t> before = past_lengths(context, attention.query.dim(0), places);
  if (context.integer("do_rotary") != 0) {
    const Rotation rotation =
        make_rotation(context, context.tensor(kCosines), context.tensor(kSines), context.integer("rotary_interleaved"));
    rotate_heads(context, attention.query, rotation, before);
    rotate_heads(context, attention.key, rotation, before);
  }
  const std::int64_t held =
      context.has_input(kPastKey) && context.tensor(kPastKey).rank() == 4 ? context.tensor(kPastKey).dim(2) : 0;
  const std::int64_t buffer = std::max(held, context.tensor(kAllKeys).integer_at(0));
  if (buffer > held + places) context.fail("{} keys in all, where past and present are {}", buffer, held + places);
  attention.key = with_new(context, kPastKey, attention.key, before, buffer);
  attention.value = with_new(context, kPastValue, attention.value, before, buffer);
  const double given = context.has_attribute("scale") ? context.number("scale") : 0.0;
  attention.scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(size));
  attention.soft_cap = context.number("softcap");
  attention.mask = causal_mask(context, before, places, buffer);
  if (context.has_input(kScoreBias)) {
    RealArray sum(Dims{attention.query.dim(0), heads.query, places, buffer});
    add(context, sum, attention.mask);
    add(context, sum, RealArray::of(context.tensor(kScoreBias)));
    attention.mask = std::move(sum);
  }
  const ElementType type = context.tensor(kQuery).type();
  context.output(0, merge_heads(attention.run(context)).rounded(type));
  context.output(1, attention.key.rounded(type));
  context.output(2, attention.value.rounded(type));
}

double group_flops(const CostContext& context) {
  const double keys = context.output_count() > 1 && context.output(1).shape.size() == 4 ? context.output_dim(1, 2)
                                                                                        : context.input_dim(kQuery, 1);
  return 4 * context.output_elements(0) * keys;
}

// clang-format off
const OpFamily contrib_decoder_family({
    {.name = "RotaryEmbedding", .domain = kContribDomain, .versions = {1}, .inputs = {4, 4},
     .attributes = {integer("interleaved", 0), integer("is_packed_batching", 0), integer("num_heads", 0),
                    integer("rotary_embedding_dim", 0), number("scale", 1.0f)},
     .kind = OpKind::opaque, .infer = infer_like_first, .evaluate = evaluate_contrib_rotary, .flops = contrib_rotary_flops},
    {.name = "GroupQueryAttention", .domain = kContribDomain, .versions = {1}, .inputs = {7, 14}, .outputs = {1, 4},
     .attributes = {integer("num_heads"), integer("kv_num_heads"), integer("do_rotary", 0), integer("rotary_interleaved", 0),
                    integer("local_window_size", -1), number("scale"), integer("smooth_softmax", -1), number("softcap", 0.0f)},
     .kind = OpKind::contraction, .infer = infer_group, .evaluate = evaluate_group, .flops = group_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
