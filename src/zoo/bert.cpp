#include "zoo/builder.h"
#include "zoo/registry.h"

// BERT (Devlin et al., 2018): encoder, pooler and a classifier of the pair of sentences.

namespace hone::zoo {
namespace {

ValueId embed_tokens(Builder& b, const Settings& s) {
  const auto place = b.scope("embeddings");
  const std::int64_t length = s["length"], width = s["hidden"];
  if (length > 512) fail_usage("bert has 512 positions, not {}", length);
  const Dims ids{s["batch"], length};
  const ValueId words = b.embedding("word", b.input("input_ids", ids, ElementType::int64), s["vocabulary"], width);
  const ValueId types = b.embedding("type", b.input("token_type_ids", ids, ElementType::int64), 2, width);
  const ValueId positions = b.weight("position", {512, width}, {.spread = 0.03});
  const ValueId sum = b.add(b.add(words, types), b.slice(positions, 0, 0, length));
  return b.layer_norm("norm", sum, 1e-12);
}

void bert(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"];
  ValueId x = embed_tokens(b, s);
  const ValueId mask = b.padding_mask(b.input("attention_mask", {s["batch"], s["length"]}, ElementType::int64));
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = b.layer_norm("attention_norm", b.add(x, b.attention("attention", x, x, {s["heads"], mask})), 1e-12);
    const ValueId inner = b.gelu(b.linear("intermediate", x, s["feed_forward"]));
    x = b.layer_norm("output_norm", b.add(x, b.linear("output", inner, width)), 1e-12);
  }
  const ValueId first = b.squeeze(b.slice(x, 1, 0, 1), {1});
  const ValueId pooled = b.tanh(b.linear("pooler", first, width));
  b.predict_classes(b.linear("classifier", pooled, s["classes"]));
}

std::vector<Parameter> bert_parameters(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  return {
      batch_parameter(),
      length_parameter("length", 128, "tokens"),
      depth_parameter("layers", layers, "encoder blocks"),
      {"hidden", hidden, "width"},
      {"heads", heads, "attention heads"},
      {"feed_forward", 4 * hidden, "width inside the feed-forward part"},
      {"vocabulary", 30522, "word pieces"},
      {"classes", 2, "classes"},
  };
}

const ZooFamily bert_family({
    {"bert", "BERT-base with a sentence classifier", bert_parameters(12, 768, 12), bert},
    {"bert-large", "BERT-large with a sentence classifier", bert_parameters(24, 1024, 16), bert},
});

}  // namespace
}  // namespace hone::zoo
