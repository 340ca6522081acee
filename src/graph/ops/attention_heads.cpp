#include "graph/ops/attention_heads.h"

#include <algorithm>
#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/matrix_product.h"

namespace hone {
namespace {

/// Where (b, h, place, 0) lies in [batch, places, heads, size] and [batch, heads, places, size] alike: swapping two
/// axes.
void swap_middle_axes(const RealArray& from, const Dims& four, RealArray& to) {
  const Dims strides = strides_of(four);
  const Dims swapped = {strides[0], strides[2], strides[1], strides[3]};
  for (StridedWalk walk({four[0], four[2], four[1], four[3]}, {&swapped}); !walk.done(); walk.next())
    to.values[walk.position()] = from.values[walk.offset(0)];
}

void check(const NodeReader& node, const HeadAttention& attention) {
  const RealArray &q = attention.query, &k = attention.key, &v = attention.value;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) node.fail("query, key and value do not have heads");
  const bool fits = q.dim(0) == k.dim(0) && k.dim(0) == v.dim(0) && k.dim(1) == v.dim(1) && k.dim(2) == v.dim(2) &&
                    q.dim(3) == k.dim(3) && k.dim(1) > 0 && q.dim(1) % k.dim(1) == 0;
  if (!fits)
    node.fail("heads of query [{}], key [{}] and value [{}] do not fit", fmt::join(q.dims, ","), fmt::join(k.dims, ","),
              fmt::join(v.dims, ","));
  const Dims scores = {q.dim(0), q.dim(1), q.dim(2), k.dim(2)};
  if (attention.mask.count() != 0 && !(broadcast(node, attention.mask.dims, scores) == scores))
    node.fail("the mask does not fit the scores");
}

}  // namespace

RealArray split_heads(const NodeReader& node, const RealArray& flat, std::int64_t heads) {
  if (flat.rank() != 3 || heads < 1 || flat.dim(2) % heads != 0)
    node.fail("[{}] cannot be split into {} heads", fmt::join(flat.dims, ","), heads);
  const Dims four = {flat.dim(0), flat.dim(1), heads, flat.dim(2) / heads};
  RealArray result(Dims{four[0], four[2], four[1], four[3]});
  swap_middle_axes(flat, four, result);
  return result;
}

RealArray merge_heads(const RealArray& heads) {
  RealArray result(Dims{heads.dim(0), heads.dim(2), heads.dim(1) * heads.dim(3)});
  swap_middle_axes(heads, heads.dims, result);
  return result;
}

RealArray after_past(const NodeReader& node, const RealArray& past, const RealArray& present) {
  if (past.count() == 0) return present;
  if (past.rank() != 4 || past.dim(0) != present.dim(0) || past.dim(1) != present.dim(1) ||
      past.dim(3) != present.dim(3))
    node.fail("the past [{}] does not fit [{}]", fmt::join(past.dims, ","), fmt::join(present.dims, ","));
  RealArray whole(Dims{present.dim(0), present.dim(1), past.dim(2) + present.dim(2), present.dim(3)});
  const std::int64_t before = past.dim(2) * past.dim(3), after = present.dim(2) * present.dim(3);
  double* to = whole.values.data();
  for (std::int64_t head = 0; head < present.dim(0) * present.dim(1); ++head) {
    to = std::copy_n(past.values.data() + head * before, before, to);
    to = std::copy_n(present.values.data() + head * after, after, to);
  }
  return whole;
}

RealArray HeadAttention::run(const NodeReader& node) const {
  check(node, *this);
  const std::int64_t heads = query.dim(1), queries = query.dim(2), size = query.dim(3);
  const std::int64_t shared = heads / key.dim(1), keys = key.dim(2), value_size = value.dim(3);
  RealArray result(Dims{query.dim(0), heads, queries, value_size});
  if (result.count() == 0) return result;
  const Dims score_dims = {query.dim(0), heads, queries, keys};
  const Dims mask_strides = mask.count() != 0 ? broadcast_strides(mask.dims, score_dims) : Dims(4, 0);
  std::vector<double> scores(static_cast<std::size_t>(element_count(Dims{queries, keys})));
  for (std::int64_t head = 0; head < query.dim(0) * heads; ++head) {
    const std::int64_t source = head / heads * key.dim(1) + head % heads / shared;
    matrix_product<double>({queries, size, keys}, {query.values.data() + head * queries * size, size},
                           MatrixView<const double>{key.values.data() + source * keys * size, size}.transposed(),
                           {scores.data(), keys});
    for (std::int64_t i = 0; i < queries * keys; ++i) {
      double& score = scores[static_cast<std::size_t>(i)];
      score *= scale;
      if (soft_cap > 0) score = soft_cap * std::tanh(score / soft_cap);
      if (mask.count() == 0) continue;
      const std::int64_t place = head / heads * mask_strides[0] + head % heads * mask_strides[1] +
                                 i / keys * mask_strides[2] + i % keys * mask_strides[3];
      score += mask.values[static_cast<std::size_t>(place)];
    }
    for (std::int64_t i = 0; i < queries; ++i)
      softmax(std::span(scores).subspan(static_cast<std::size_t>(i * keys), static_cast<std::size_t>(keys)));
    matrix_product<double>({queries, keys, value_size}, {scores.data(), keys},
                           {value.values.data() + source * keys * value_size, value_size},
                           {result.values.data() + head * queries * value_size, value_size});
  }
  return result;
}

void Rotation::turn(const NodeReader& node, std::span<double> head, std::int64_t position) const {
  const std::int64_t count = pairs();
  if (2 * count > std::ssize(head)) node.fail("{} angles for a head of {}", count, head.size());
  if (position < 0 || position >= cosines.dim(0)) node.fail("there is no angle for position {}", position);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto angle = static_cast<std::size_t>(position * count + i);
    double& first = head[static_cast<std::size_t>(interleaved ? 2 * i : i)];
    double& second = head[static_cast<std::size_t>(interleaved ? 2 * i + 1 : i + count)];
    const double x = first, y = second;
    first = x * cosines.values[angle] - y * sines.values[angle];
    second = y * cosines.values[angle] + x * sines.values[angle];
  }
}

Rotation make_rotation(const NodeReader& node, const Tensor& cosines, const Tensor& sines, std::int64_t interleaved) {
  Rotation rotation{.cosines = RealArray::of(cosines), .sines = RealArray::of(sines), .interleaved = interleaved != 0};
  if (cosines.rank() != 2 || !(cosines.dims() == sines.dims())) node.fail("the tables of angles are no equal matrices");
  return rotation;
}

}  // namespace hone
