#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Rotary position embedding: pairs of numbers of each head turned by an angle that depends on the position.

namespace hone {
namespace {

void infer_rotary(InferContext& context) {
  if (const Shape* x = context.shape(0); x != nullptr && x->size() != 3 && x->size() != 4)
    context.fail("the input {} has neither three nor four dims", text_of(*x));
  context.output(0, context.type(0));
}

/// Where the heads of the input lie.
struct HeadLayout {
  std::int64_t batch, length, heads, size;
  bool heads_first;  // [batch, heads, length, size] rather than [batch, length, heads * size]

  std::int64_t start(std::int64_t b, std::int64_t s, std::int64_t h) const {
    return (heads_first ? (b * heads + h) * length + s : (b * length + s) * heads + h) * size;
  }
};

HeadLayout head_layout(const EvaluateContext& context, const Dims& dims) {
  if (dims.size() == 4) return {dims[0], dims[2], dims[1], dims[3], true};
  if (dims.size() != 3) context.fail("the input has neither three nor four dims");
  const std::int64_t heads = context.integer("num_heads");
  if (heads < 1 || dims[2] % heads != 0) context.fail("{} numbers do not split into {} heads", dims[2], heads);
  return {dims[0], dims[1], heads, dims[2] / heads, false};
}

/// How many numbers of each head are turned.
std::int64_t turned_numbers(const EvaluateContext& context, std::int64_t head_size) {
  const std::int64_t given = context.integer("rotary_embedding_dim");
  const std::int64_t turned = given == 0 ? head_size : given;
  if (turned < 0 || turned > head_size || turned % 2 != 0)
    context.fail("cannot turn {} of {} numbers", turned, head_size);
  return turned;
}

/// First entry of the cosine and sine tables for each (batch, position): looked up by position ids, or given in full.
std::vector<std::int64_t> table_rows(const EvaluateContext& context, const HeadLayout& layout, std::int64_t half) {
  const Tensor& cosines = context.tensor(1);
  if (cosines.dims() != context.tensor(2).dims()) context.fail("the caches differ in shape");
  const std::size_t rank = context.has_input(3) ? 2 : 3;
  if (cosines.rank() != rank || cosines.dims().back() != half)
    context.fail("a cache {} for {} angles", text_of(cosines.shape()), half);
  std::vector<std::int64_t> rows;
  if (!context.has_input(3)) {
    if (cosines.dim(0) != layout.batch || cosines.dim(1) != layout.length)
      context.fail("the cache does not fit the input");
    for (std::int64_t i = 0; i < layout.batch * layout.length; ++i) rows.push_back(i * half);
    return rows;
  }
  rows = context.tensor(3).integers();
  if (static_cast<std::int64_t>(rows.size()) != layout.batch * layout.length) context.fail("{} positions", rows.size());
  for (std::int64_t& row : rows) {
    if (row < -cosines.dim(0) || row >= cosines.dim(0)) context.fail("position {} is not in the cache", row);
    row = (row < 0 ? row + cosines.dim(0) : row) * half;
  }
  return rows;
}

void evaluate_rotary(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const HeadLayout layout = head_layout(context, x.dims());
  const std::int64_t half = turned_numbers(context, layout.size) / 2;
  const std::vector<std::int64_t> rows = table_rows(context, layout, half);
  const Numbers<double> numbers(x), cosines(context.tensor(1)), sines(context.tensor(2));
  const bool interleaved = context.integer("interleaved") != 0;
  std::vector<double> result(numbers.view().begin(), numbers.view().end());
  for (std::int64_t b = 0; b < layout.batch; ++b)
    for (std::int64_t s = 0; s < layout.length; ++s)
      for (std::int64_t h = 0; h < layout.heads; ++h)
        for (std::int64_t i = 0; i < half; ++i) {
          const auto angle = static_cast<std::size_t>(rows[static_cast<std::size_t>(b * layout.length + s)] + i);
          const auto first = static_cast<std::size_t>(layout.start(b, s, h) + (interleaved ? 2 * i : i));
          const std::size_t second = first + static_cast<std::size_t>(interleaved ? 1 : half);
          result[first] = cosines[angle] * numbers[first] - sines[angle] * numbers[second];
          result[second] = sines[angle] * numbers[first] + cosines[angle] * numbers[second];
        }
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

double rotary_flops(const CostContext& context) { return 3 * context.input_elements(0); }

// clang-format off
const OpFamily rotary_embedding_family({
    {.name = "RotaryEmbedding", .versions = {23}, .inputs = {3, 4},
     .attributes = {integer("interleaved", 0), integer("num_heads", 0), integer("rotary_embedding_dim", 0)},
     .kind = OpKind::reduction, .infer = infer_rotary, .evaluate = evaluate_rotary, .flops = rotary_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
