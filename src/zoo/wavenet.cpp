#include "zoo/builder.h"
#include "zoo/registry.h"

// WaveNet (van den Oord et al., 2016): stacks of gated causal convolutions with growing dilation.

namespace hone::zoo {
namespace {

// Dilation doubles from layer to layer and starts again after this many, as published.
constexpr std::int64_t kCycle = 10;

Window pointwise() { return {.kernel = {1}}; }
/// Two taps, the later one on the present sample.
Window causal(std::int64_t dilation) {
  return {.kernel = {2}, .strides = {1}, .pads = {dilation, 0}, .dilations = {dilation}};
}

ValueId gated(Builder& b, ValueId x, std::int64_t dilation) {
  const std::int64_t channels = b.dim(x, 1);
  const ValueId filter = b.tanh(b.conv("filter", x, channels, causal(dilation), Bias::present));
  return b.mul(filter, b.sigmoid(b.conv("gate", x, channels, causal(dilation), Bias::present)));
}

void wavenet(Builder& b, const Settings& s) {
  const ValueId samples = b.input("samples", {s["batch"], s["length"]}, ElementType::int64);
  const ValueId embedded = b.transpose(b.embedding("levels", samples, s["levels"], s["channels"]), {0, 2, 1});
  ValueId x = b.conv("stem", embedded, s["channels"], causal(1), Bias::present);
  ValueId sum;
  for (std::int64_t stack = 0; stack < s["stacks"]; ++stack) {
    for (std::int64_t i = 0; i < s["layers"]; ++i) {
      const auto place = b.scope(fmt::format("stack{}/layer{}", stack, i));
      const ValueId y = gated(b, x, std::int64_t{1} << (i % kCycle));
      const ValueId skip = b.conv("skip", y, s["skip_channels"], pointwise(), Bias::present);
      sum = sum.valid() ? b.add(sum, skip) : skip;
      const bool last = stack + 1 == s["stacks"] && i + 1 == s["layers"];
      if (!last) x = b.add(x, b.conv("residual", y, s["channels"], pointwise(), Bias::present));
    }
  }
  sum = b.relu(b.conv("post1", b.relu(sum), s["skip_channels"], pointwise(), Bias::present));
  b.predict_classes(b.transpose(b.conv("post2", sum, s["levels"], pointwise(), Bias::present), {0, 2, 1}));
}

const ZooFamily wavenet_family({{"wavenet",
                                 "WaveNet: stacks of dilated causal convolutions with gates and skip connections",
                                 {batch_parameter(),
                                  {"length", 2048, "samples"},
                                  depth_parameter("stacks", 2, "stacks"),
                                  depth_parameter("layers", 18, "layers a stack"),
                                  {"channels", 64, "residual channels"},
                                  {"skip_channels", 256, "skip channels"},
                                  {"levels", 256, "quantisation levels"}},
                                 wavenet}});

}  // namespace
}  // namespace hone::zoo
