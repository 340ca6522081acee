#include "zoo/builder.h"
#include "zoo/registry.h"

// Inception-v3 (Szegedy et al., 2015) without the auxiliary classifier.

namespace hone::zoo {
namespace {

/// Convolution, normalisation, rectifier, with the same resolution unless strided.
ValueId inception_conv(Builder& b, std::string_view name, ValueId x, std::int64_t channels, const Window& window) {
  const auto place = b.scope(name);
  return b.relu(b.batch_norm(b.conv("conv", x, channels, window), 1e-3));
}

Window wide(std::int64_t size) { return {.kernel = {1, size}, .strides = {1, 1}, .pads = {0, size / 2, 0, size / 2}}; }
Window tall(std::int64_t size) { return {.kernel = {size, 1}, .strides = {1, 1}, .pads = {size / 2, 0, size / 2, 0}}; }
Window same_size(std::int64_t size) { return Window::square(size, 1, size / 2); }

ValueId pooled_branch(Builder& b, ValueId x, std::int64_t channels) {
  return inception_conv(b, "pool", b.pool("AveragePool", x, same_size(3)), channels, same_size(1));
}

ValueId stem(Builder& b, ValueId x) {
  x = inception_conv(b, "stem1", x, 32, Window::square(3, 2));
  x = inception_conv(b, "stem2", x, 32, Window::square(3));
  x = inception_conv(b, "stem3", x, 64, same_size(3));
  x = b.pool("MaxPool", x, Window::square(3, 2));
  x = inception_conv(b, "stem4", x, 80, same_size(1));
  x = inception_conv(b, "stem5", x, 192, Window::square(3));
  return b.pool("MaxPool", x, Window::square(3, 2));
}

ValueId module_a(Builder& b, ValueId x, std::int64_t pool_channels) {
  const ValueId one = inception_conv(b, "one", x, 64, same_size(1));
  const ValueId five = inception_conv(b, "five2", inception_conv(b, "five1", x, 48, same_size(1)), 64, same_size(5));
  ValueId twice = inception_conv(b, "twice2", inception_conv(b, "twice1", x, 64, same_size(1)), 96, same_size(3));
  twice = inception_conv(b, "twice3", twice, 96, same_size(3));
  return b.concat({one, five, twice, pooled_branch(b, x, pool_channels)}, 1);
}

ValueId shrink_b(Builder& b, ValueId x) {
  const ValueId three = inception_conv(b, "three", x, 384, Window::square(3, 2));
  ValueId twice = inception_conv(b, "twice2", inception_conv(b, "twice1", x, 64, same_size(1)), 96, same_size(3));
  twice = inception_conv(b, "twice3", twice, 96, Window::square(3, 2));
  return b.concat({three, twice, b.pool("MaxPool", x, Window::square(3, 2))}, 1);
}

ValueId module_c(Builder& b, ValueId x, std::int64_t inner) {
  const ValueId one = inception_conv(b, "one", x, 192, same_size(1));
  ValueId seven = inception_conv(b, "seven2", inception_conv(b, "seven1", x, inner, same_size(1)), inner, wide(7));
  seven = inception_conv(b, "seven3", seven, 192, tall(7));
  ValueId twice = inception_conv(b, "twice2", inception_conv(b, "twice1", x, inner, same_size(1)), inner, tall(7));
  twice = inception_conv(b, "twice4", inception_conv(b, "twice3", twice, inner, wide(7)), inner, tall(7));
  twice = inception_conv(b, "twice5", twice, 192, wide(7));
  return b.concat({one, seven, twice, pooled_branch(b, x, 192)}, 1);
}

ValueId shrink_d(Builder& b, ValueId x) {
  const ValueId three =
      inception_conv(b, "three2", inception_conv(b, "three1", x, 192, same_size(1)), 320, Window::square(3, 2));
  ValueId seven = inception_conv(b, "seven2", inception_conv(b, "seven1", x, 192, same_size(1)), 192, wide(7));
  seven = inception_conv(b, "seven4", inception_conv(b, "seven3", seven, 192, tall(7)), 192, Window::square(3, 2));
  return b.concat({three, seven, b.pool("MaxPool", x, Window::square(3, 2))}, 1);
}

/// A 1x3 and a 3x1 convolution side by side.
ValueId fork(Builder& b, std::string_view name, ValueId x) {
  const auto place = b.scope(name);
  return b.concat({inception_conv(b, "wide", x, 384, wide(3)), inception_conv(b, "tall", x, 384, tall(3))}, 1);
}

ValueId module_e(Builder& b, ValueId x) {
  const ValueId one = inception_conv(b, "one", x, 320, same_size(1));
  const ValueId three = fork(b, "three2", inception_conv(b, "three1", x, 384, same_size(1)));
  const ValueId twice =
      inception_conv(b, "twice2", inception_conv(b, "twice1", x, 448, same_size(1)), 384, same_size(3));
  return b.concat({one, three, fork(b, "twice3", twice), pooled_branch(b, x, 192)}, 1);
}

void inception_v3(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"];
  ValueId x = stem(b, b.input("image", {s["batch"], 3, size, size}));
  int count = 0;
  const auto module = [&](auto build, auto... arguments) {
    const auto place = b.scope(fmt::format("module{}", count++));
    x = build(b, x, arguments...);
  };
  for (const std::int64_t pool_channels : {32, 64, 64}) module(module_a, pool_channels);
  module(shrink_b);
  for (const std::int64_t inner : {128, 160, 160, 192}) module(module_c, inner);
  module(shrink_d);
  module(module_e);
  module(module_e);
  b.predict_classes(b.classifier("fc", b.reshape(b.global_average_pool(x), {0, -1}), s["classes"]));
}

const ZooFamily inception_family(
    {{"inception-v3",
      "Inception-v3: modules of parallel factorised convolutions",
      {batch_parameter(), {"resolution", 299, "pixels a side"}, {"classes", 1000, "classes"}},
      inception_v3}});

}  // namespace
}  // namespace hone::zoo
