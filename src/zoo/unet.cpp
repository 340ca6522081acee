#include "zoo/builder.h"
#include "zoo/registry.h"

// U-Net (Ronneberger et al., 2015) with padded convolutions and batch normalisation.

namespace hone::zoo {
namespace {

ValueId double_conv(Builder& b, std::string_view name, ValueId x, std::int64_t channels) {
  const auto place = b.scope(name);
  x = b.conv_norm_relu("conv1", x, channels, Window::square(3, 1, 1));
  return b.conv_norm_relu("conv2", x, channels, Window::square(3, 1, 1));
}

void unet(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"], width = s["width"], depth = s["depth"];
  if (size % (std::int64_t{1} << depth) != 0)
    fail_usage("unet: resolution={} is not a multiple of 2^depth = {}", size, std::int64_t{1} << depth);
  ValueId x = b.input("image", {s["batch"], 3, size, size});
  std::vector<ValueId> skipped;
  for (std::int64_t i = 0; i < depth; ++i) {
    skipped.push_back(double_conv(b, fmt::format("down{}", i + 1), x, width << i));
    x = b.pool("MaxPool", skipped.back(), Window::square(2, 2));
  }
  x = double_conv(b, "bottom", x, width << depth);
  for (std::int64_t i = depth; i-- > 0;) {
    const auto place = b.scope(fmt::format("up{}", i + 1));
    const ValueId grown = b.conv_transpose("grow", x, width << i, Window::square(2, 2));
    x = double_conv(b, "merge", b.concat({skipped[static_cast<std::size_t>(i)], grown}, 1), width << i);
  }
  b.predict_values(b.sigmoid(b.conv("mask", x, s["classes"], Window::square(1), Bias::present)));
}

const ZooFamily unet_family({{"unet",
                              "U-Net: encoder and decoder with skip connections, a mask for every class",
                              {batch_parameter(),
                               {"resolution", 256, "pixels a side"},
                               {"width", 64, "channels at full resolution"},
                               {"depth", 4, "times the resolution is halved", {}, 1, 10},
                               {"classes", 1, "masks"}},
                              unet}});

}  // namespace
}  // namespace hone::zoo
