#include "zoo/builder.h"
#include "zoo/registry.h"

// MobileNetV2 (Sandler et al., 2018) and MnasNet 1.0 (Tan et al., 2018): inverted residuals with depthwise
// convolutions.

namespace hone::zoo {
namespace {

/// A run of inverted residual blocks; the stride is the first block's.
struct Stage {
  std::int64_t expansion;
  std::int64_t channels;
  std::int64_t blocks;
  std::int64_t stride;
  std::int64_t kernel = 3;
};

using Activation = ValueId (*)(Builder&, ValueId);
ValueId with_relu(Builder& b, ValueId x) { return b.relu(x); }
ValueId with_relu6(Builder& b, ValueId x) { return b.relu6(x); }

/// 1x1 expansion, depthwise convolution, 1x1 projection without activation; a shortcut where the shapes allow it.
ValueId inverted_residual(Builder& b, ValueId x, const Stage& stage, std::int64_t stride, Activation activation) {
  const std::int64_t inner = b.dim(x, 1) * stage.expansion;
  ValueId y = x;
  if (stage.expansion != 1) y = activation(b, b.conv_norm("expand", y, inner, Window::square(1)));
  const Window window = Window::square(stage.kernel, stride, stage.kernel / 2);
  y = activation(b, b.conv_norm("depthwise", y, inner, window, inner));
  y = b.conv_norm("project", y, stage.channels, Window::square(1));
  return stride == 1 && b.dim(x, 1) == stage.channels ? b.add(x, y) : y;
}

ValueId stages(Builder& b, ValueId x, std::span<const Stage> list, Activation activation) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = b.scope(fmt::format("stage{}", i + 1));
    for (std::int64_t j = 0; j < list[i].blocks; ++j) {
      const auto block = b.scope(fmt::format("block{}", j));
      x = inverted_residual(b, x, list[i], j == 0 ? list[i].stride : 1, activation);
    }
  }
  return x;
}

ValueId image(Builder& b, const Settings& s) {
  return b.input("image", {s["batch"], 3, s["resolution"], s["resolution"]});
}

void classify(Builder& b, ValueId x, const Settings& s) {
  b.predict_classes(b.classifier("classifier", b.reshape(b.global_average_pool(x), {0, -1}), s["classes"]));
}

void mobilenet_v2(Builder& b, const Settings& s) {
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  ValueId x = b.relu6(b.conv_norm("stem", image(b, s), 32, Window::square(3, 2, 1)));
  x = stages(b, x, kStages, with_relu6);
  classify(b, b.relu6(b.conv_norm("head", x, 1280, Window::square(1))), s);
}

void mnasnet(Builder& b, const Settings& s) {
  constexpr Stage kStages[] = {{3, 24, 3, 2, 3}, {3, 40, 3, 2, 5},  {6, 80, 3, 2, 5},
                               {6, 96, 2, 1, 3}, {6, 192, 4, 2, 5}, {6, 320, 1, 1, 3}};
  ValueId x = b.conv_norm_relu("stem", image(b, s), 32, Window::square(3, 2, 1));
  x = b.conv_norm_relu("depthwise", x, 32, Window::square(3, 1, 1), 32);
  x = b.conv_norm("project", x, 16, Window::square(1));
  x = stages(b, x, kStages, with_relu);
  classify(b, b.conv_norm_relu("head", x, 1280, Window::square(1)), s);
}

std::vector<Parameter> mobilenet_parameters() {
  return {batch_parameter(), {"resolution", 224, "pixels a side"}, {"classes", 1000, "classes"}};
}

const ZooFamily mobilenet_family({
    {"mobilenet-v2", "MobileNetV2: inverted residuals with depthwise convolutions", mobilenet_parameters(),
     mobilenet_v2},
    {"mnasnet", "MnasNet 1.0: inverted residuals found by search", mobilenet_parameters(), mnasnet},
});

}  // namespace
}  // namespace hone::zoo
