#include "zoo/builder.h"
#include "zoo/registry.h"

// GPT-2 (Radford et al., 2019): a decoder whose output layer shares the word embeddings.

namespace hone::zoo {
namespace {

ValueId self_attention(Builder& b, ValueId x, std::int64_t heads, ValueId mask) {
  const auto place = b.scope("attention");
  const std::int64_t width = b.dim(x, -1);
  const std::vector<ValueId> qkv = b.split_evenly(b.linear("qkv", x, 3 * width), -1, 3);
  const ValueId seen =
      b.attend(b.split_heads(qkv[0], heads), b.split_heads(qkv[1], heads), b.split_heads(qkv[2], heads), mask);
  return b.linear("output", b.merge_heads(seen), width);
}

void gpt2(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"], length = s["length"];
  if (width % s["heads"] != 0) fail_usage("gpt2: hidden={} is not a multiple of heads={}", width, s["heads"]);
  if (length > s["positions"]) fail_usage("gpt2: length={} is more than positions={}", length, s["positions"]);
  const ValueId ids = b.input("input_ids", {s["batch"], length}, ElementType::int64);
  const ValueId words = b.weight("word_embedding", {s["vocabulary"], width}, {.spread = 0.035});
  const ValueId positions = b.weight("position_embedding", {s["positions"], width}, {.spread = 0.017});
  ValueId x = b.add(b.gather(words, ids), b.slice(positions, 0, 0, length));
  const ValueId mask = b.causal_mask(length, length);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = b.add(x, self_attention(b, b.layer_norm("norm1", x), s["heads"], mask));
    const ValueId inner = b.gelu_tanh(b.linear("expand", b.layer_norm("norm2", x), 4 * width));
    x = b.add(x, b.linear("contract", inner, width));
  }
  b.predict_classes(b.matmul(b.layer_norm("final_norm", x), b.transpose(words, {1, 0})));
}

const ZooFamily gpt2_family({{"gpt2",
                              "GPT-2 small: a causal language model with tied embeddings",
                              {batch_parameter(),
                               length_parameter("length", 128, "tokens"),
                               depth_parameter("layers", 12, "decoder blocks"),
                               {"hidden", 768, "width"},
                               {"heads", 12, "attention heads"},
                               {"positions", 1024, "longest text it was made for"},
                               {"vocabulary", 50257, "word pieces"}},
                              gpt2}});

}  // namespace
}  // namespace hone::zoo
