#include "zoo/builder.h"
#include "zoo/registry.h"

// ConvNeXt-Tiny (Liu et al., 2022), as it is exported: layers over channels have these last, convolutions first.

namespace hone::zoo {
namespace {

constexpr double kNormEpsilon = 1e-6;

ValueId with_channels_last(Builder& b, ValueId x) { return b.transpose(x, {0, 2, 3, 1}); }
ValueId with_channels_first(Builder& b, ValueId x) { return b.transpose(x, {0, 3, 1, 2}); }

ValueId norm_of_channels(Builder& b, std::string_view name, ValueId x) {
  return with_channels_first(b, b.layer_norm(name, with_channels_last(b, x), kNormEpsilon));
}

/// A wide depthwise convolution, then a feed-forward part a pixel, scaled channel by channel.
ValueId convnext_block(Builder& b, ValueId x) {
  const std::int64_t channels = b.dim(x, 1);
  ValueId y = b.conv("depthwise", x, channels, Window::square(7, 1, 3), Bias::present, channels);
  y = b.layer_norm("norm", with_channels_last(b, y), kNormEpsilon);
  y = b.linear("contract", b.gelu(b.linear("expand", y, 4 * channels)), channels);
  const ValueId scale = b.weight("scale", {channels, 1, 1}, {.spread = 0.3, .offset = 0.5});
  return b.add(b.mul(scale, with_channels_first(b, y)), x);
}

void convnext(Builder& b, const Settings& s) {
  const std::int64_t width = s["channels"];
  const std::int64_t blocks[] = {3, 3, s["layers"], 3};
  const ValueId image = b.input("image", {s["batch"], 3, s["resolution"], s["resolution"]});
  ValueId x = norm_of_channels(b, "stem_norm", b.conv("stem", image, width, Window::square(4, 4), Bias::present));
  for (std::size_t i = 0; i < std::size(blocks); ++i) {
    const auto stage = b.scope(fmt::format("stage{}", i + 1));
    if (i > 0) {
      const ValueId even = norm_of_channels(b, "norm", x);
      x = b.conv("downsample", even, width << i, Window::square(2, 2), Bias::present);
    }
    for (std::int64_t j = 0; j < blocks[i]; ++j) {
      const auto place = b.scope(fmt::format("block{}", j));
      x = convnext_block(b, x);
    }
  }
  const ValueId means = norm_of_channels(b, "head_norm", b.global_average_pool(x));
  b.predict_classes(b.classifier("head", b.reshape(means, {0, -1}), s["classes"]));
}

const ZooFamily convnext_family({{"convnext",
                                  "ConvNeXt-Tiny: wide depthwise convolutions and feed-forward parts a pixel",
                                  {batch_parameter(),
                                   {"resolution", 224, "pixels a side"},
                                   {"channels", 96, "channels of the first stage"},
                                   depth_parameter("layers", 9, "blocks of the third stage"),
                                   {"classes", 1000, "classes"}},
                                  convnext}});

}  // namespace
}  // namespace hone::zoo
