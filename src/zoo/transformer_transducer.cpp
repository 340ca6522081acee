#include "zoo/builder.h"
#include "zoo/registry.h"

// Transformer transducer (Zhang et al., 2020): audio and label encoders and a joint network over all pairs of
// positions. The training loss is the cross-entropy of an aligned label for every pair, which has the shape and cost of
// the network but not the sum over alignments.

namespace hone::zoo {
namespace {

ValueId encoder(Builder& b, const Settings& s, std::string_view name, ValueId x, Heads heads) {
  const auto place = b.scope(name);
  const std::int64_t layers = s[std::string(name) + "_layers"];
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    const ValueId first = b.layer_norm("norm1", x);
    x = b.add(x, b.attention("attention", first, first, heads));
    const ValueId inner = b.relu(b.linear("expand", b.layer_norm("norm2", x), s["feed_forward"]));
    x = b.add(x, b.linear("contract", inner, s["hidden"]));
  }
  return b.layer_norm("final_norm", x);
}

void transformer_transducer(Builder& b, const Settings& s) {
  const std::int64_t batch = s["batch"], frames = s["length"], labels = s["labels"], width = s["hidden"];
  ValueId audio = b.linear("features", b.input("features", {batch, frames, s["features"]}), width);
  audio = b.add(audio, b.weight("audio_positions", {frames, width}, {.spread = 0.03}));
  audio = encoder(b, s, "audio", audio, {s["heads"]});
  const ValueId ids = b.input("label_ids", {batch, labels}, ElementType::int64);
  ValueId label = b.embedding("label_embedding", ids, s["vocabulary"], width);
  label = b.add(label, b.weight("label_positions", {labels, width}, {.spread = 0.03}));
  label = encoder(b, s, "label", label, {s["heads"], b.causal_mask(labels, labels)});
  const auto place = b.scope("joint");
  const ValueId left = b.unsqueeze(b.linear("audio", audio, width), {2});
  const ValueId right = b.unsqueeze(b.linear("label", label, width, Bias::none), {1});
  b.predict_classes(b.linear("output", b.tanh(b.add(left, right)), s["vocabulary"]));
}

const ZooFamily transformer_transducer_family({{"transformer-transducer",
                                                "Transformer transducer: audio and label encoders and a joint network",
                                                {batch_parameter(),
                                                 length_parameter("length", 80, "audio frames"),
                                                 length_parameter("labels", 16, "labels"),
                                                 {"features", 512, "numbers a frame"},
                                                 depth_parameter("audio_layers", 12, "blocks over audio"),
                                                 depth_parameter("label_layers", 2, "blocks over labels"),
                                                 {"hidden", 512, "width"},
                                                 {"heads", 8, "attention heads"},
                                                 {"feed_forward", 2048, "width inside the feed-forward parts"},
                                                 {"vocabulary", 1024, "labels there are"}},
                                                transformer_transducer}});

}  // namespace
}  // namespace hone::zoo
