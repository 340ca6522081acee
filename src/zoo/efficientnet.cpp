#include <array>

#include "zoo/builder.h"
#include "zoo/registry.h"

// EfficientNet-B0 (Tan and Le, 2019) and MobileNetV3-Large (Howard et al., 2019): inverted residuals whose channels are
// scaled by what the whole image says of them (Hu et al., 2017).

namespace hone::zoo {
namespace {

/// An inverted residual: channels inside and out, its depthwise window, and the channels that excitation squeezes to;
/// 0 for none.
struct ExcitedBlock {
  std::int64_t inner;
  std::int64_t channels;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t squeezed;
};

using Nonlinearity = ValueId (*)(Builder&, ValueId);
ValueId with_swish(Builder& b, ValueId x) { return b.silu(x); }
ValueId with_hard_swish(Builder& b, ValueId x) { return b.unary("HardSwish", x); }
ValueId with_rectifier(Builder& b, ValueId x) { return b.relu(x); }
ValueId sigmoid_gate(Builder& b, ValueId x) { return b.sigmoid(x); }
ValueId hard_gate(Builder& b, ValueId x) {
  return b.emit("HardSigmoid", {x}, b.dims(x), {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
}

/// What tells the two networks apart within an excitation: the function in the middle and the one at the end.
struct Excitation {
  Nonlinearity middle;
  Nonlinearity gate;
};
constexpr Excitation kSmooth{.middle = with_swish, .gate = sigmoid_gate};
constexpr Excitation kHard{.middle = with_rectifier, .gate = hard_gate};

/// Every channel is scaled by a number that two layers make of the means of all channels.
ValueId excited(Builder& b, ValueId x, std::int64_t squeezed, const Excitation& excitation) {
  const auto place = b.scope("excitation");
  const ValueId means = b.global_average_pool(x);
  const ValueId few = excitation.middle(b, b.conv("reduce", means, squeezed, Window::square(1), Bias::present));
  return b.mul(excitation.gate(b, b.conv("expand", few, b.dim(x, 1), Window::square(1), Bias::present)), x);
}

ValueId excited_residual(Builder& b, ValueId x, const ExcitedBlock& block, const Excitation& excitation,
                         Nonlinearity activation) {
  ValueId y = x;
  if (block.inner != b.dim(x, 1)) y = activation(b, b.conv_norm("expand", y, block.inner, Window::square(1)));
  const Window window = Window::square(block.kernel, block.stride, block.kernel / 2);
  y = activation(b, b.conv_norm("depthwise", y, block.inner, window, block.inner));
  if (block.squeezed > 0) y = excited(b, y, block.squeezed, excitation);
  y = b.conv_norm("project", y, block.channels, Window::square(1));
  return block.stride == 1 && b.dim(x, 1) == block.channels ? b.add(y, x) : y;
}

/// Means over the image as rows.
ValueId pooled_rows(Builder& b, ValueId x) { return b.reshape(b.global_average_pool(x), {0, -1}); }

void efficientnet_b0(Builder& b, const Settings& s) {
  struct Stage {
    std::int64_t expansion, kernel, stride, channels, blocks;
  };
  constexpr Stage kStages[] = {{1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
                               {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};
  const ValueId image = b.input("image", {s["batch"], 3, s["resolution"], s["resolution"]});
  ValueId x = b.silu(b.conv_norm("stem", image, 32, Window::square(3, 2, 1)));
  for (std::size_t i = 0; i < std::size(kStages); ++i) {
    const Stage& stage = kStages[i];
    const auto place = b.scope(fmt::format("stage{}", i + 1));
    for (std::int64_t j = 0; j < stage.blocks; ++j) {
      const auto inside = b.scope(fmt::format("block{}", j));
      const std::int64_t channels = b.dim(x, 1), stride = j == 0 ? stage.stride : 1;
      const ExcitedBlock block{channels * stage.expansion, stage.channels, stage.kernel, stride, channels / 4};
      x = excited_residual(b, x, block, kSmooth, with_swish);
    }
  }
  x = b.silu(b.conv_norm("head", x, 1280, Window::square(1)));
  b.predict_classes(b.classifier("classifier", pooled_rows(b, x), s["classes"]));
}

void mobilenet_v3(Builder& b, const Settings& s) {
  constexpr std::size_t kRectified = 6;  // blocks before the hard swish
  constexpr std::array<ExcitedBlock, 15> kBlocks{{{16, 16, 3, 1, 0},
                                                  {64, 24, 3, 2, 0},
                                                  {72, 24, 3, 1, 0},
                                                  {72, 40, 5, 2, 24},
                                                  {120, 40, 5, 1, 32},
                                                  {120, 40, 5, 1, 32},
                                                  {240, 80, 3, 2, 0},
                                                  {200, 80, 3, 1, 0},
                                                  {184, 80, 3, 1, 0},
                                                  {184, 80, 3, 1, 0},
                                                  {480, 112, 3, 1, 120},
                                                  {672, 112, 3, 1, 168},
                                                  {672, 160, 5, 2, 168},
                                                  {960, 160, 5, 1, 240},
                                                  {960, 160, 5, 1, 240}}};
  const ValueId image = b.input("image", {s["batch"], 3, s["resolution"], s["resolution"]});
  ValueId x = with_hard_swish(b, b.conv_norm("stem", image, 16, Window::square(3, 2, 1)));
  for (std::size_t i = 0; i < kBlocks.size(); ++i) {
    const auto place = b.scope(fmt::format("block{}", i + 1));
    x = excited_residual(b, x, kBlocks[i], kHard, i < kRectified ? with_rectifier : with_hard_swish);
  }
  x = with_hard_swish(b, b.conv_norm("head", x, 960, Window::square(1)));
  x = with_hard_swish(b, b.classifier("hidden", pooled_rows(b, x), 1280));
  b.predict_classes(b.classifier("classifier", x, s["classes"]));
}

std::vector<Parameter> excited_parameters() {
  return {batch_parameter(), {"resolution", 224, "pixels a side"}, {"classes", 1000, "classes"}};
}

const ZooFamily efficientnet_family({
    {"efficientnet-b0", "EfficientNet-B0: inverted residuals with squeeze and excitation", excited_parameters(),
     efficientnet_b0},
    {"mobilenet-v3", "MobileNetV3-Large: inverted residuals with hard swish, excitation in some", excited_parameters(),
     mobilenet_v3},
});

}  // namespace
}  // namespace hone::zoo
