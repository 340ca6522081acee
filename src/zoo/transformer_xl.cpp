#include <cmath>

#include "zoo/builder.h"
#include "zoo/registry.h"

// Transformer-XL (Dai et al., 2019): attention to a memory of the last segment, with relative positions.

namespace hone::zoo {
namespace {

/// Sines and cosines of distances from far to near: [columns, width].
ValueId distance_encoding(Builder& b, std::int64_t columns, std::int64_t width) {
  Tensor table = Tensor::zeros(b.element(), {columns, width});
  for (std::int64_t i = 0; i < columns; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t half = width / 2, frequency = j % half;
      const double angle = static_cast<double>(columns - 1 - i) /
                           std::pow(10000.0, 2.0 * static_cast<double>(frequency) / static_cast<double>(width));
      table.set_number(static_cast<std::size_t>(i * width + j), j < half ? std::sin(angle) : std::cos(angle));
    }
  }
  return b.constant("distances", std::move(table));
}

/// Moves row i of [batch, heads, rows, columns] left by rows - 1 - i, so that column j means position j instead of
/// distance j: one column of zeros, read as one row more.
ValueId relative_shift(Builder& b, ValueId x) {
  const Dims dims = b.dims(x);
  const ValueId padded = b.pad(x, {0, 0, 0, 1, 0, 0, 0, 0});
  const ValueId reread = b.reshape(padded, {dims[0], dims[1], dims[3] + 1, dims[2]});
  return b.reshape(b.slice(reread, 2, 1, dims[3] + 1), {dims[0], dims[1], dims[2], dims[3]});
}

/// What every layer shares.
struct Shared {
  ValueId distances;
  ValueId mask;
  std::int64_t heads;
};

ValueId relative_attention(Builder& b, ValueId x, ValueId memory, const Shared& shared) {
  const auto place = b.scope("attention");
  const std::int64_t width = b.dim(x, -1), size = width / shared.heads;
  const ValueId seen = b.concat({memory, x}, 1);
  const ValueId q = b.reshape(b.linear("query", x, width, Bias::none), {0, 0, shared.heads, size});
  const ValueId k = b.split_heads(b.linear("key", seen, width, Bias::none), shared.heads);
  const ValueId v = b.split_heads(b.linear("value", seen, width, Bias::none), shared.heads);
  const ValueId r = b.transpose(
      b.reshape(b.linear("distance", shared.distances, width, Bias::none), {0, shared.heads, size}), {1, 2, 0});
  const ValueId by_content =
      b.transpose(b.add(q, b.weight("content_bias", {shared.heads, size}, {.spread = 0.03})), {0, 2, 1, 3});
  const ValueId by_place =
      b.transpose(b.add(q, b.weight("place_bias", {shared.heads, size}, {.spread = 0.03})), {0, 2, 1, 3});
  const ValueId scores = b.add(b.matmul(by_content, b.transpose_matrix(k)), relative_shift(b, b.matmul(by_place, r)));
  const ValueId scaled = b.add(b.mul(scores, 1 / std::sqrt(static_cast<double>(size))), shared.mask);
  return b.linear("output", b.merge_heads(b.matmul(b.softmax(scaled), v)), width, Bias::none);
}

void transformer_xl(Builder& b, const Settings& s) {
  const std::int64_t length = s["length"], memory = s["memory"], width = s["hidden"];
  if (width % s["heads"] != 0 || width % 2 != 0)
    fail_usage("transformer-xl: hidden={} is not an even multiple of heads={}", width, s["heads"]);
  const ValueId ids = b.input("input_ids", {s["batch"], length}, ElementType::int64);
  ValueId x = b.embedding("words", ids, s["vocabulary"], width);
  const Shared shared{distance_encoding(b, length + memory, width), b.causal_mask(length, length + memory), s["heads"]};
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    const ValueId before = b.input(fmt::format("memory{}", i), {s["batch"], memory, width});
    if (b.purpose() == Purpose::inference)
      b.output(fmt::format("new_memory{}", i), b.slice(b.concat({before, x}, 1), 1, length, length + memory));
    x = b.layer_norm("norm1", b.add(x, relative_attention(b, x, before, shared)));
    const ValueId inner = b.relu(b.linear("expand", x, s["feed_forward"]));
    x = b.layer_norm("norm2", b.add(x, b.linear("contract", inner, width)));
  }
  b.predict_classes(b.linear("head", x, s["vocabulary"]));
}

const ZooFamily transformer_xl_family({{"transformer-xl",
                                        "Transformer-XL: a language model with segment memory and relative positions",
                                        {batch_parameter(),
                                         length_parameter("length", 64, "tokens of the segment"),
                                         length_parameter("memory", 64, "remembered tokens"),
                                         depth_parameter("layers", 8, "blocks"),
                                         {"hidden", 512, "width"},
                                         {"heads", 8, "attention heads"},
                                         {"feed_forward", 2048, "width inside the feed-forward part"},
                                         {"vocabulary", 32000, "words"}},
                                        transformer_xl}});

}  // namespace
}  // namespace hone::zoo
