#include "zoo/builder.h"
#include "zoo/registry.h"

// VGG-19 without batch normalisation (Simonyan and Zisserman, 2014).

namespace hone::zoo {
namespace {

void vgg19(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"];
  ValueId x = b.input("image", {s["batch"], 3, size, size});
  constexpr std::int64_t kConvolutions[] = {2, 2, 4, 4, 4};
  constexpr std::int64_t kChannels[] = {64, 128, 256, 512, 512};
  for (std::size_t stage = 0; stage < 5; ++stage) {
    const auto place = b.scope(fmt::format("stage{}", stage + 1));
    for (std::int64_t i = 0; i < kConvolutions[stage]; ++i)
      x = b.relu(b.conv(fmt::format("conv{}", i + 1), x, kChannels[stage], Window::square(3, 1, 1), Bias::present));
    x = b.pool("MaxPool", x, Window::square(2, 2));
  }
  x = b.reshape(x, {0, -1});
  x = b.relu(b.classifier("fc1", x, 4096));
  x = b.relu(b.classifier("fc2", x, 4096));
  b.predict_classes(b.classifier("fc3", x, s["classes"]));
}

const ZooFamily vgg_family({{"vgg19",
                             "VGG-19: sixteen 3x3 convolutions and three large linear layers",
                             {batch_parameter(), {"resolution", 224, "pixels a side"}, {"classes", 1000, "classes"}},
                             vgg19}});

}  // namespace
}  // namespace hone::zoo
