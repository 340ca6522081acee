#include "zoo/builder.h"
#include "zoo/registry.h"

// SSD (Liu et al., 2015) on MobileNetV1 (Howard et al., 2017), as in TensorFlow's object detection models: six feature
// maps, 1917 anchors at 300 pixels. Boxes are left encoded; decoding and suppression are no part of the network.

namespace hone::zoo {
namespace {

ValueId conv_relu6(Builder& b, std::string_view name, ValueId x, std::int64_t channels, const Window& window) {
  return b.relu6(b.conv_norm(name, x, channels, window));
}

/// Depthwise 3x3, then 1x1.
ValueId separable(Builder& b, std::string_view name, ValueId x, std::int64_t channels, std::int64_t stride) {
  const auto place = b.scope(name);
  const ValueId filtered = b.relu6(b.conv_norm("depthwise", x, b.dim(x, 1), Window::square(3, stride, 1), b.dim(x, 1)));
  return conv_relu6(b, "pointwise", filtered, channels, Window::square(1));
}

/// The feature maps the detector looks at, from fine to coarse.
std::vector<ValueId> feature_maps(Builder& b, ValueId x) {
  x = conv_relu6(b, "stem", x, 32, Window::square(3, 2, 1));
  constexpr std::pair<std::int64_t, std::int64_t> kBlocks[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                                               {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                                               {512, 1}, {1024, 2}, {1024, 1}};
  std::vector<ValueId> maps;
  for (std::size_t i = 0; i < std::size(kBlocks); ++i) {
    x = separable(b, fmt::format("block{}", i + 1), x, kBlocks[i].first, kBlocks[i].second);
    if (i == 10 || i == 12) maps.push_back(x);
  }
  constexpr std::int64_t kExtra[] = {512, 256, 256, 128};
  for (std::size_t i = 0; i < std::size(kExtra); ++i) {
    const auto place = b.scope(fmt::format("extra{}", i + 1));
    x = conv_relu6(b, "reduce", x, kExtra[i] / 2, Window::square(1));
    x = conv_relu6(b, "shrink", x, kExtra[i], Window::square(3, 2, 1));
    maps.push_back(x);
  }
  return maps;
}

/// `per_anchor` numbers for every anchor of every map: [batch, anchors, per_anchor].
ValueId predict(Builder& b, std::string_view name, std::span<const ValueId> maps, std::int64_t per_anchor) {
  const auto place = b.scope(name);
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::int64_t anchors = i == 0 ? 3 : 6;
    const ValueId raw =
        b.conv(fmt::format("map{}", i), maps[i], anchors * per_anchor, Window::square(1), Bias::present);
    parts.push_back(b.reshape(b.transpose(raw, {0, 2, 3, 1}), {0, -1, per_anchor}));
  }
  return b.concat(parts, 1);
}

void ssd_mobilenet(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"];
  const std::vector<ValueId> maps = feature_maps(b, b.input("image", {s["batch"], 3, size, size}));
  b.predict_values(predict(b, "boxes", maps, 4));
  b.predict_classes(predict(b, "classes", maps, s["classes"]));
}

const ZooFamily ssd_mobilenet_family(
    {{"ssd-mobilenet",
      "SSD detector on MobileNetV1: boxes and classes of 1917 anchors",
      {batch_parameter(), {"resolution", 300, "pixels a side"}, {"classes", 91, "classes"}},
      ssd_mobilenet}});

}  // namespace
}  // namespace hone::zoo
