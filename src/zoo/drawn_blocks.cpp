#include "zoo/drawn_blocks.h"

#include <algorithm>

namespace hone::zoo {

DrawnBlocks::DrawnBlocks(Builder& builder, Rng rng)
    : b_(builder),
      rng_(rng),
      activation_(rng_.below(8)),
      centred_(rng_.below(3) != 0),
      normalized_first_(rng_.below(3) != 0),
      bias_(rng_.below(3) != 0 ? Bias::present : Bias::none) {}

ValueId DrawnBlocks::activated(ValueId x) {
  switch (activation_) {
    case 0: return b_.gelu(x);
    case 1: return b_.gelu_tanh(x);
    case 2: return b_.silu(x);
    case 3: return b_.unary("Softplus", x);
    case 4: return b_.tanh(x);
    case 5: return b_.relu6(x);
    default: return b_.relu(x);
  }
}

ValueId DrawnBlocks::normalized(std::string_view name, ValueId x) {
  return centred_ ? b_.layer_norm(name, x) : b_.rms_norm(name, x);
}

ValueId DrawnBlocks::tokens(ValueId x, std::int64_t columns) {
  return beside(x, [&](ValueId y) { return token_block(y, columns); });
}

ValueId DrawnBlocks::transformer(ValueId x, bool attends) {
  return beside(x, [&](ValueId y) { return attends ? token_attention(y, 0) : token_layers(y); });
}

ValueId DrawnBlocks::pixels(ValueId x, std::int64_t columns) {
  return rng_.below(2) == 0 ? beside(x, [&](ValueId y) { return token_pixels(y, columns); }) : tokens(x, columns);
}

ValueId DrawnBlocks::steps(ValueId x) {
  return rng_.below(2) == 0 ? beside(x, [&](ValueId y) { return token_recurrence(y); }) : tokens(x, 0);
}

ValueId DrawnBlocks::token_block(ValueId x, std::int64_t columns) {
  constexpr std::int64_t kMostSteps = 24;  // that are unrolled
  switch (rng_.below(8)) {
    case 0:
    case 1: return token_attention(x, columns);
    case 2:
    case 3: return token_layers(x);
    case 4:
    case 5: return columns > 0 ? token_pixels(x, columns) : token_neighbours(x);
    case 6: return token_neighbours(x);
    default: return b_.dim(x, 1) <= kMostSteps ? token_recurrence(x) : token_layers(x);
  }
}

/// To all tokens, to those before, or to those of a smaller image.
ValueId DrawnBlocks::token_attention(ValueId x, std::int64_t columns) {
  const std::int64_t width = b_.dim(x, 2), length = b_.dim(x, 1);
  Heads heads{.count = std::max<std::int64_t>(1, width / one_of({32, 64})), .bias = bias_};
  const auto kind = rng_.below(5);
  if (kind == 3) return token_rotation(x);
  if (kind == 0) heads.mask = b_.causal_mask(length, length);
  if (kind == 1) heads.mask = b_.weight("places", {1, heads.count, length, length}, {.spread = 0.5});
  ValueId memory = x;
  if (kind == 2 && columns > 0 && columns % 2 == 0 && (length / columns) % 2 == 0) {
    const ValueId smaller = b_.conv("reduce", b_.reshape(turned(x), {0, 0, length / columns, columns}), width,
                                    Window::square(2, 2), Bias::present);
    memory = normalized("memory", turned(b_.reshape(smaller, {0, 0, -1})));
  }
  return b_.attention("attention", x, memory, heads);
}

/// Queries and keys are turned by where they stand (Su et al., 2021), as exporters write it.
ValueId DrawnBlocks::token_rotation(ValueId x) {
  const std::int64_t width = b_.dim(x, 2), length = b_.dim(x, 1);
  const std::int64_t heads = std::max<std::int64_t>(1, width / 64), size = width / heads;
  const ValueId cosines = b_.weight("cosines", {length, size}, {.spread = 0.7});
  const ValueId sines = b_.weight("sines", {length, size}, {.spread = 0.7});
  const auto headed = [&](std::string_view name) { return b_.split_heads(b_.linear(name, x, width, bias_), heads); };
  const auto rotated = [&](ValueId y) {
    const std::vector<ValueId> halves = b_.split_evenly(y, -1, 2);
    return b_.add(b_.mul(y, cosines), b_.mul(b_.concat({b_.neg(halves[1]), halves[0]}, -1), sines));
  };
  const ValueId queries = rotated(headed("query")), keys = rotated(headed("key"));
  const ValueId seen = b_.attend(queries, keys, headed("value"), b_.causal_mask(length, length));
  return b_.linear("output", b_.merge_heads(seen), width, bias_);
}

ValueId DrawnBlocks::token_layers(ValueId x) {
  const std::int64_t width = b_.dim(x, 2), inner = width * one_of({2, 3, 4});
  ValueId y = activated(b_.linear("up", x, inner, bias_));
  if (rng_.below(3) == 0) y = b_.mul(y, b_.linear("gate", x, inner, bias_));
  return b_.linear("down", y, width, bias_);
}

/// Tokens are the points of an image for a convolution between two layers.
ValueId DrawnBlocks::token_pixels(ValueId x, std::int64_t columns) {
  const std::int64_t width = b_.dim(x, 2), inner = width * one_of({1, 2, 4});
  const std::int64_t kernel = one_of({3, 5});
  const ValueId up = b_.linear("up", x, inner);
  const ValueId pixels = b_.reshape(turned(up), {0, 0, b_.dim(x, 1) / columns, columns});
  const Window window = Window::square(kernel, 1, kernel / 2);
  const ValueId mixed = rng_.below(4) == 0 ? b_.conv("mix", pixels, inner, window, Bias::present, inner / 16)
                                           : b_.conv("mix", pixels, inner, window, Bias::present, inner);
  return b_.linear("down", activated(turned(b_.reshape(mixed, {0, 0, -1}))), width);
}

/// A convolution along the tokens.
ValueId DrawnBlocks::token_neighbours(ValueId x) {
  const std::int64_t width = b_.dim(x, 2), taps = one_of({3, 4, 7, 15, 31});
  ValueId y = turned(x);
  if (rng_.below(2) == 0) {
    const std::vector<ValueId> halves = b_.split_evenly(b_.conv("in", y, 2 * width, {.kernel = {1}}, bias_), 1, 2);
    y = b_.mul(halves[0], b_.sigmoid(halves[1]));
  }
  const Window window{.kernel = {taps}, .strides = {1}, .pads = {taps - 1, 0}};
  y = activated(b_.conv("along", y, width, window, Bias::present, rng_.below(4) == 0 ? 1 : width));
  if (rng_.below(2) == 0) return b_.linear("out", turned(y), width, bias_);
  return turned(b_.conv("out", y, width, {.kernel = {1}}, bias_));
}

/// Linear attention with a gate that forgets (Yang et al., 2023), unrolled step by step as exporters do it.
ValueId DrawnBlocks::token_recurrence(ValueId x) {
  const std::int64_t width = b_.dim(x, 2), states = one_of({8, 16});
  const ValueId keys = b_.linear("keys", x, states, Bias::none), reads = b_.linear("reads", x, states, Bias::none);
  const ValueId values = turned(b_.linear("values", x, width, Bias::none));
  const ValueId kept = b_.sigmoid(turned(b_.linear("kept", x, width)));
  const ValueId rates = b_.weight("rates", {1, width, 1, states}, {.spread = 0.4, .offset = 0.5});
  const ValueId decays = b_.exp(b_.neg(b_.mul(b_.unsqueeze(kept, {3}), rates)));
  const ValueId drives = b_.mul(b_.unsqueeze(values, {3}), b_.unsqueeze(keys, {1}));
  ValueId state = b_.zeros({b_.dim(x, 0), width, states});
  std::vector<ValueId> outputs;
  for (std::int64_t t = 0; t < b_.dim(x, 1); ++t) {
    const auto step = b_.scope(fmt::format("step{}", t));
    const ValueId at = b_.constant("at", Tensor::scalar(t));
    state = b_.add(b_.mul(b_.gather(decays, at, 2), state), b_.gather(drives, at, 2));
    outputs.push_back(b_.matmul(state, b_.unsqueeze(b_.gather(reads, at, 1), {2})));
  }
  return b_.linear("out", turned(b_.concat(outputs, 2)), width, bias_);
}

ValueId DrawnBlocks::image(ValueId x) {
  switch (rng_.below(7)) {
    case 0:
    case 1: return image_residual(x);
    case 2: return image_bottleneck(x);
    case 3:
    case 4: return image_branches(x);
    case 5: return image_shuffle(x);
    default: return image_gate(x);
  }
}

ValueId DrawnBlocks::image_residual(ValueId x) {
  const std::int64_t channels = b_.dim(x, 1), groups = one_of({1, 1, 4});
  const Window window = Window::square(3, 1, 1);
  const ValueId y = activated(b_.conv_norm("first", x, channels, window, groups));
  const ValueId sum = b_.add(x, b_.conv_norm("second", y, channels, rng_.below(2) == 0 ? window : Window::square(1)));
  return rng_.below(2) == 0 ? activated(sum) : sum;
}

ValueId DrawnBlocks::image_bottleneck(ValueId x) {
  const std::int64_t channels = b_.dim(x, 1), inner = channels * one_of({2, 4});
  ValueId y = activated(b_.conv_norm("up", x, inner, Window::square(1)));
  const std::int64_t kernel = one_of({3, 5});
  y = activated(b_.conv_norm("filter", y, inner, Window::square(kernel, 1, kernel / 2), inner));
  return b_.add(x, b_.conv_norm("down", y, channels, Window::square(1)));
}

/// Two or three ways side by side, put together.
ValueId DrawnBlocks::image_branches(ValueId x) {
  const std::int64_t channels = b_.dim(x, 1);
  const bool squeezes = rng_.below(2) == 0;
  const ValueId y = squeezes ? activated(b_.conv("squeeze", x, channels / 2, Window::square(1), Bias::present)) : x;
  std::vector<ValueId> ways = {activated(b_.conv("one", y, channels / 2, Window::square(1), Bias::present)),
                               activated(b_.conv("three", y, channels / 2, Window::square(3, 1, 1), Bias::present))};
  if (rng_.below(3) == 0) ways.push_back(b_.pool("MaxPool", y, Window::square(3, 1, 1)));
  const ValueId joined = b_.concat(ways, 1);
  return activated(b_.conv("join", joined, channels, rng_.below(2) == 0 ? Window::square(1) : Window::square(3, 1, 1),
                           Bias::present));
}

/// Channels weighed by what is in all of them.
ValueId DrawnBlocks::image_gate(ValueId x) {
  const std::int64_t channels = b_.dim(x, 1);
  const ValueId mean = rng_.below(2) == 0 ? b_.reduce("ReduceMean", x, {2, 3}) : b_.global_average_pool(x);
  const ValueId inner = b_.relu(b_.conv("inner", mean, channels / 4, Window::square(1), Bias::present));
  const ValueId gated = b_.mul(x, b_.sigmoid(b_.conv("outer", inner, channels, Window::square(1), Bias::present)));
  return activated(b_.conv("mix", gated, channels, Window::square(3, 1, 1), bias_));
}

/// Half of the channels pass by, and all are then mixed by their order alone (Zhang et al., 2017).
ValueId DrawnBlocks::image_shuffle(ValueId x) {
  const std::int64_t half = b_.dim(x, 1) / 2, rows = b_.dim(x, 2), columns = b_.dim(x, 3);
  const std::vector<ValueId> halves = b_.split_evenly(x, 1, 2);
  ValueId y = activated(b_.conv_norm("up", halves[1], half, Window::square(1)));
  y = b_.conv_norm("filter", y, half, Window::square(3, 1, 1), half);
  y = activated(b_.conv_norm("down", y, half, Window::square(1)));
  const ValueId apart = b_.reshape(b_.concat({halves[0], y}, 1), {0, 2, half, rows, columns});
  return b_.reshape(b_.transpose(apart, {0, 2, 1, 3, 4}), {0, 2 * half, rows, columns});
}

ValueId DrawnBlocks::shorter(ValueId x, std::int64_t channels, std::int64_t taps, std::int64_t stride) {
  const ValueId y = b_.conv("shorter", x, channels, {.kernel = {taps}, .strides = {stride}}, bias_);
  return activated(rng_.below(2) == 0 ? y : turned(normalized("norm", turned(y))));
}

ValueId DrawnBlocks::signal(ValueId x) {
  const std::int64_t channels = b_.dim(x, 1), taps = one_of({2, 3, 5, 9}), dilation = one_of({1, 1, 2, 4});
  const std::int64_t groups = one_of<std::int64_t>({1, 1, 1, channels, 4});
  const Window window{.kernel = {taps}, .strides = {1}, .pads = {(taps - 1) * dilation, 0}, .dilations = {dilation}};
  ValueId y = b_.conv("along", x, channels, window, Bias::present, groups);
  if (rng_.below(3) == 0)
    y = b_.mul(b_.tanh(y), b_.sigmoid(b_.conv("gate", x, channels, window, Bias::present, groups)));
  else y = activated(rng_.below(2) == 0 ? y : turned(normalized("norm", turned(y))));
  if (rng_.below(2) == 0) y = b_.conv("mix", y, channels, {.kernel = {1}}, Bias::present);
  return b_.add(x, y);
}

}  // namespace hone::zoo
