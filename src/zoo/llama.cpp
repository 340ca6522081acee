#include <cmath>

#include "zoo/builder.h"
#include "zoo/registry.h"

// LLaMA (Touvron et al., 2023; Grattafiori et al., 2024): rotary positions, grouped keys and values, gated
// feed-forward.

namespace hone::zoo {
namespace {

/// Cosines and sines of the rotation of every position: [length, size] each.
struct Rotation {
  ValueId cosines;
  ValueId sines;
};

Rotation rotation(Builder& b, std::int64_t length, std::int64_t size) {
  Tensor cosines = Tensor::zeros(b.element(), {length, size}), sines = Tensor::zeros(b.element(), {length, size});
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t j = 0; j < size; ++j) {
      const double exponent = 2.0 * static_cast<double>(j % (size / 2)) / static_cast<double>(size);
      const double angle = static_cast<double>(i) / std::pow(500000.0, exponent);
      cosines.set_number(static_cast<std::size_t>(i * size + j), std::cos(angle));
      sines.set_number(static_cast<std::size_t>(i * size + j), std::sin(angle));
    }
  }
  return {b.constant("cosines", std::move(cosines)), b.constant("sines", std::move(sines))};
}

/// x cos + (-right, left) sin, over the last axis.
ValueId rotate(Builder& b, ValueId x, const Rotation& by) {
  const auto place = b.scope("rotate");
  const std::vector<ValueId> halves = b.split_evenly(x, -1, 2);
  return b.add(b.mul(x, by.cosines), b.mul(b.concat({b.neg(halves[1]), halves[0]}, -1), by.sines));
}

/// Repeats every head of [batch, heads, length, size] for the queries that share it.
ValueId repeat_heads(Builder& b, ValueId x, std::int64_t times) {
  if (times == 1) return x;
  const Dims dims = b.dims(x);
  const ValueId stretched = b.expand(b.unsqueeze(x, {2}), {dims[0], dims[1], times, dims[2], dims[3]});
  return b.reshape(stretched, {dims[0], dims[1] * times, dims[2], dims[3]});
}

ValueId attention(Builder& b, const Settings& s, ValueId x, const Rotation& by, ValueId mask) {
  const auto place = b.scope("attention");
  const std::int64_t heads = s["heads"], shared = s["kv_heads"], size = s["hidden"] / heads;
  const ValueId q = rotate(b, b.split_heads(b.linear("query", x, s["hidden"], Bias::none), heads), by);
  const ValueId k = rotate(b, b.split_heads(b.linear("key", x, shared * size, Bias::none), shared), by);
  const ValueId v = b.split_heads(b.linear("value", x, shared * size, Bias::none), shared);
  const ValueId seen = b.attend(q, repeat_heads(b, k, heads / shared), repeat_heads(b, v, heads / shared), mask);
  return b.linear("output", b.merge_heads(seen), s["hidden"], Bias::none);
}

ValueId feed_forward(Builder& b, const Settings& s, ValueId x) {
  const auto place = b.scope("feed_forward");
  const ValueId gate = b.silu(b.linear("gate", x, s["feed_forward"], Bias::none));
  const ValueId up = b.linear("up", x, s["feed_forward"], Bias::none);
  return b.linear("down", b.mul(gate, up), s["hidden"], Bias::none);
}

void llama(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"], length = s["length"], heads = s["heads"];
  if (width % (2 * heads) != 0 || heads % s["kv_heads"] != 0)
    fail_usage("llama: hidden={}, heads={} and kv_heads={} do not divide evenly", width, heads, s["kv_heads"]);
  const ValueId ids = b.input("input_ids", {s["batch"], length}, ElementType::int64);
  const ValueId words = b.weight("embedding", {s["vocabulary"], width}, {.spread = 0.035});
  ValueId x = b.gather(words, ids);
  const Rotation by = rotation(b, length, width / heads);
  const ValueId mask = b.causal_mask(length, length);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = b.add(x, attention(b, s, b.rms_norm("norm1", x), by, mask));
    x = b.add(x, feed_forward(b, s, b.rms_norm("norm2", x)));
  }
  b.predict_classes(b.matmul(b.rms_norm("final_norm", x), b.transpose(words, {1, 0})));
}

const ZooFamily llama_family({{"llama",
                               "LLaMA with the blocks of LLaMA-3.2-1B (which is layers=16,vocabulary=128256)",
                               {batch_parameter(),
                                length_parameter("length", 64, "tokens"),
                                depth_parameter("layers", 4, "decoder blocks"),
                                {"hidden", 2048, "width"},
                                {"heads", 32, "attention heads"},
                                {"kv_heads", 8, "heads of keys and values"},
                                {"feed_forward", 8192, "width of the gated feed-forward part"},
                                {"vocabulary", 32000, "word pieces"}},
                               llama}});

}  // namespace
}  // namespace hone::zoo
