#include "zoo/builder.h"
#include "zoo/registry.h"

// DALL-E mini (Dayma et al., 2021): a text encoder and a decoder of image tokens, with gated feed-forward parts and
// extra normalisation after attention. Sizes as in the experiments of X-RLflow.

namespace hone::zoo {
namespace {

/// Normalised before and after; no biases.
ValueId attend(Builder& b, std::string_view name, ValueId x, ValueId memory, Heads heads) {
  const auto place = b.scope(name);
  heads.bias = Bias::none;
  const ValueId before = b.layer_norm("before", x);
  const ValueId seen = b.attention("attention", before, memory.valid() ? memory : before, heads);
  return b.add(x, b.layer_norm("after", seen));
}

ValueId gated_feed_forward(Builder& b, ValueId x, std::int64_t inner) {
  const auto place = b.scope("feed_forward");
  const ValueId y = b.layer_norm("before", x);
  const ValueId gated = b.mul(b.gelu(b.linear("gate", y, inner, Bias::none)), b.linear("value", y, inner, Bias::none));
  return b.add(x, b.linear("output", b.layer_norm("inside", gated), b.dim(x, -1), Bias::none));
}

ValueId embed_ids(Builder& b, std::string_view name, ValueId ids, std::int64_t vocabulary, std::int64_t width) {
  const auto place = b.scope(name);
  const ValueId words = b.embedding("tokens", ids, vocabulary, width);
  const ValueId positions = b.weight("positions", {b.dim(ids, 1), width}, {.spread = 0.03});
  return b.layer_norm("norm", b.add(words, positions));
}

void dalle_mini(Builder& b, const Settings& s) {
  const std::int64_t batch = s["batch"], width = s["hidden"], heads = s["heads"], inner = s["feed_forward"];
  const ValueId text = b.input("text_ids", {batch, s["text_length"]}, ElementType::int64);
  const ValueId text_mask = b.padding_mask(b.input("text_mask", {batch, s["text_length"]}, ElementType::int64));
  ValueId encoded = embed_ids(b, "encoder", text, s["text_vocabulary"], width);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("encoder/layer{}", i));
    encoded = attend(b, "self", encoded, {}, {heads, text_mask});
    encoded = gated_feed_forward(b, encoded, inner);
  }
  encoded = b.layer_norm("encoder_norm", encoded);
  const ValueId image = b.input("image_ids", {batch, s["image_length"]}, ElementType::int64);
  ValueId x = embed_ids(b, "decoder", image, s["image_vocabulary"] + 1, width);
  const ValueId causal = b.causal_mask(s["image_length"], s["image_length"]);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("decoder/layer{}", i));
    x = attend(b, "self", x, {}, {heads, causal});
    x = attend(b, "cross", x, encoded, {heads, text_mask});
    x = gated_feed_forward(b, x, inner);
  }
  b.predict_classes(b.linear("head", b.layer_norm("final_norm", x), s["image_vocabulary"] + 1, Bias::none));
}

const ZooFamily dalle_mini_family(
    {{"dalle-mini",
      "DALL-E mini: text encoder and decoder of image tokens with gated feed-forward parts",
      {batch_parameter(),
       length_parameter("text_length", 16, "text tokens"),
       length_parameter("image_length", 64, "image tokens"),
       depth_parameter("layers", 8, "blocks in the encoder and in the decoder"),
       {"hidden", 768, "width"},
       {"heads", 12, "attention heads"},
       {"feed_forward", 2048, "width of the gated feed-forward parts"},
       {"text_vocabulary", 50264, "text tokens there are"},
       {"image_vocabulary", 16384, "image tokens there are"}},
      dalle_mini}});

}  // namespace
}  // namespace hone::zoo
