#include <array>

#include "zoo/builder.h"
#include "zoo/registry.h"

// ResNet (He et al., 2015) with the stride in the 3x3 convolution, and ResNeXt (Xie et al., 2016).

namespace hone::zoo {
namespace {

/// What tells the members of the family apart.
struct Variant {
  std::array<std::int64_t, 4> blocks;
  std::int64_t expansion = 4;     // 1: two 3x3 convolutions a block; 4: a bottleneck
  std::int64_t groups = 1;        // of the 3x3 convolution
  std::int64_t group_width = 64;  // channels a group when the stage has 64
};

ValueId shortcut(Builder& b, ValueId x, std::int64_t channels, std::int64_t stride) {
  if (stride == 1 && b.dim(x, 1) == channels) return x;
  return b.conv_norm("downsample", x, channels, Window::square(1, stride));
}

ValueId block(Builder& b, const Variant& variant, ValueId x, std::int64_t width, std::int64_t stride) {
  const std::int64_t channels = width * variant.expansion;
  ValueId y;
  if (variant.expansion == 1) {
    y = b.conv_norm_relu("conv1", x, width, Window::square(3, stride, 1));
    y = b.conv_norm("conv2", y, channels, Window::square(3, 1, 1));
  } else {
    const std::int64_t inner = width * variant.group_width / 64 * variant.groups;
    y = b.conv_norm_relu("conv1", x, inner, Window::square(1));
    y = b.conv_norm_relu("conv2", y, inner, Window::square(3, stride, 1), variant.groups);
    y = b.conv_norm("conv3", y, channels, Window::square(1));
  }
  return b.relu(b.add(y, shortcut(b, x, channels, stride)));
}

void resnet(Builder& b, const Settings& s, const Variant& variant) {
  const std::int64_t size = s["resolution"];
  ValueId x = b.input("image", {s["batch"], 3, size, size});
  x = b.conv_norm_relu("stem", x, 64, Window::square(7, 2, 3));
  x = b.pool("MaxPool", x, Window::square(3, 2, 1));
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const auto layer = b.scope(fmt::format("layer{}", stage + 1));
    for (std::int64_t i = 0; i < variant.blocks[stage]; ++i) {
      const auto place = b.scope(fmt::format("block{}", i));
      x = block(b, variant, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  x = b.reshape(b.global_average_pool(x), {0, -1});
  b.predict_classes(b.classifier("fc", x, s["classes"]));
}

constexpr Variant kResnet18{.blocks = {2, 2, 2, 2}, .expansion = 1};
constexpr Variant kResnet50{.blocks = {3, 4, 6, 3}};
constexpr Variant kResnet101{.blocks = {3, 4, 23, 3}};
constexpr Variant kResnext50{.blocks = {3, 4, 6, 3}, .expansion = 4, .groups = 32, .group_width = 4};

std::vector<Parameter> resnet_parameters() {
  return {batch_parameter(), {"resolution", 224, "pixels a side"}, {"classes", 1000, "classes"}};
}

const ZooFamily resnet_family({
    {"resnet18", "ResNet-18: residual pairs of 3x3 convolutions", resnet_parameters(),
     [](Builder& b, const Settings& s) { resnet(b, s, kResnet18); }},
    {"resnet50", "ResNet-50: residual bottlenecks", resnet_parameters(),
     [](Builder& b, const Settings& s) { resnet(b, s, kResnet50); }},
    {"resnet101", "ResNet-101: residual bottlenecks", resnet_parameters(),
     [](Builder& b, const Settings& s) { resnet(b, s, kResnet101); }},
    {"resnext50", "ResNeXt-50 32x4d: residual bottlenecks with grouped convolutions", resnet_parameters(),
     [](Builder& b, const Settings& s) { resnet(b, s, kResnext50); }},
});

}  // namespace
}  // namespace hone::zoo
