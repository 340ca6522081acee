#include "zoo/drawn_blocks.h"
#include "zoo/registry.h"

// Networks over tokens, images or signals whose blocks and sizes are drawn by a seed. They are to learn from: policies
// for rewriting should not have seen the architectures that they are judged by.

namespace hone::zoo {
namespace {

std::int64_t drawn_of(Rng& rng, std::initializer_list<std::int64_t> values) {
  return values.begin()[rng.below(values.size())];
}

constexpr std::int64_t kLargestLayer = std::int64_t{1} << 26;  // multiplications of a product of tokens and a square

void net_of_tokens(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  Rng& rng = blocks.rng();
  const std::int64_t width = drawn_of(rng, {64, 128, 192, 256, 384, 512, 768});
  std::int64_t columns = 0, length = drawn_of(rng, {8, 12, 16, 24, 32, 64, 96, 128, 200});
  if (rng.below(2) == 0) {
    columns = drawn_of(rng, {7, 8, 14, 16, 20, 28});
    length = columns * columns;
  }
  while (length * width * width > kLargestLayer && length > 16) {
    columns /= 2;
    length = columns > 0 ? columns * columns : length / 2;
  }
  ValueId x = b.linear("first", b.input("tokens", {1, length, width}), width);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.tokens(x, columns);
  }
  b.predict_classes(b.linear("classes", x, 10));
}

void net_of_transformers(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  constexpr std::int64_t kLargestProduct = std::int64_t{1} << 27;
  const std::int64_t width = drawn_of(blocks.rng(), {192, 256, 384, 512, 640, 768, 1024});
  std::int64_t length = drawn_of(blocks.rng(), {16, 32, 48, 64, 96, 128, 160, 197, 256});
  while (length * width * width > kLargestProduct) length /= 2;
  ValueId x = b.linear("first", b.input("tokens", {1, length, width}), width);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.transformer(x, i % 2 == 0);
  }
  b.predict_classes(b.linear("classes", x, drawn_of(blocks.rng(), {10, 1000, 4000})));
}

void net_of_pixels(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  const std::int64_t width = drawn_of(blocks.rng(), {32, 64, 96, 128, 160, 256});
  const std::int64_t columns = drawn_of(blocks.rng(), {7, 8, 12, 14, 16, 20, 28, 32});
  ValueId x = b.linear("first", b.input("tokens", {1, columns * columns, width}), width);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.pixels(x, columns);
  }
  b.predict_classes(b.linear("classes", x, 10));
}

void net_of_steps(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  const std::int64_t width = drawn_of(blocks.rng(), {64, 128, 256, 384, 512, 768, 1024});
  const std::int64_t length = drawn_of(blocks.rng(), {6, 8, 12, 16, 24, 32});
  ValueId x = b.linear("first", b.input("tokens", {1, length, width}), width);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.steps(x);
  }
  b.predict_classes(b.linear("classes", x, 10));
}

void net_of_images(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  Rng& rng = blocks.rng();
  const std::int64_t channels = drawn_of(rng, {16, 32, 48, 64, 96, 128}), side = drawn_of(rng, {7, 14, 20, 28, 40, 56});
  ValueId x = b.relu(b.conv("first", b.input("image", {1, 3, side, side}), channels, Window::square(3, 1, 1)));
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.image(x);
  }
  const ValueId mean = rng.below(2) == 0 ? b.reduce("ReduceMean", x, {2, 3}, Reduced::dropped)
                                         : b.reshape(b.global_average_pool(x), {0, -1});
  b.predict_classes(b.classifier("classes", mean, 10));
}

/// Samples of a sound, which a few convolutions that skip make short.
ValueId shortened_sound(Builder& b, DrawnBlocks& blocks, std::int64_t channels) {
  ValueId x = b.input("signal", {1, 1, drawn_of(blocks.rng(), {1600, 3200, 6400})});
  const std::int64_t times = 2 + static_cast<std::int64_t>(blocks.rng().below(3));
  for (std::int64_t i = 0; i < times; ++i) {
    const auto layer = b.scope(fmt::format("stem{}", i));
    x = i == 0 ? blocks.shorter(x, channels, 10, 5) : blocks.shorter(x, channels, drawn_of(blocks.rng(), {2, 3}), 2);
  }
  return x;
}

void net_of_signals(Builder& b, DrawnBlocks& blocks, std::int64_t layers) {
  Rng& rng = blocks.rng();
  const std::int64_t channels = drawn_of(rng, {32, 64, 128, 256}), length = drawn_of(rng, {40, 100, 200, 500});
  ValueId x = rng.below(2) == 0
                  ? shortened_sound(b, blocks, channels)
                  : b.conv("first", b.input("signal", {1, 8, length}), channels, {.kernel = {5}}, Bias::present);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    x = blocks.signal(x);
  }
  b.predict_classes(b.linear("classes", b.transpose(x, {0, 2, 1}), 10));
}

void drawn_net(Builder& b, const Settings& s) {
  DrawnBlocks blocks(b, Rng(static_cast<std::uint64_t>(s["blocks"])));
  if (s.word("trunk") == "pixels") return net_of_pixels(b, blocks, s["layers"]);
  if (s.word("trunk") == "layers") return net_of_transformers(b, blocks, s["layers"]);
  if (s.word("trunk") == "steps") return net_of_steps(b, blocks, s["layers"]);
  switch (blocks.rng().below(4)) {
    case 0: return net_of_images(b, blocks, s["layers"]);
    case 1: return net_of_signals(b, blocks, s["layers"]);
    default: return net_of_tokens(b, blocks, s["layers"]);
  }
}

const ZooFamily drawn_net_family({{"drawn-net",
                                   "Network of tokens, images or signals whose blocks are drawn: to learn from",
                                   {depth_parameter("layers", 6, "blocks"),
                                    {"blocks", 1, "seed of blocks and sizes"},
                                    {"trunk",
                                     std::string("any"),
                                     "what they are about: tokens of an image, time steps, attention and layers in "
                                     "turn, or drawn",
                                     {"any", "pixels", "steps", "layers"}}},
                                   drawn_net}});

}  // namespace
}  // namespace hone::zoo
