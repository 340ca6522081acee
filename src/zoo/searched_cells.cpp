#include "zoo/searched_cells.h"

#include "base/error.h"

namespace hone::zoo {
namespace {

Window kept_size(std::int64_t kernel, std::int64_t stride = 1) { return Window::square(kernel, stride, kernel / 2); }

/// Rectifier, 1x1 convolution, normalisation.
ValueId project(Builder& b, std::string_view name, ValueId x, std::int64_t channels, std::int64_t stride = 1) {
  return b.conv_norm(name, b.relu(x), channels, Window::square(1, stride));
}

/// Halves the resolution by two interleaved samplings, each giving half of the channels.
ValueId factorized_reduction(Builder& b, ValueId x, std::int64_t channels) {
  const auto place = b.scope("halve");
  x = b.relu(x);
  const Window every_other = Window::square(1, 2);
  const ValueId left = b.conv("left", b.pool("AveragePool", x, every_other), channels / 2, Window::square(1));
  const std::int64_t height = b.dim(x, 2), width = b.dim(x, 3);
  const ValueId padded = b.pad(x, {0, 0, 0, 0, 0, 0, 1, 1});
  const ValueId shifted = b.slice(b.slice(padded, 2, 1, height + 1), 3, 1, width + 1);
  const ValueId right =
      b.conv("right", b.pool("AveragePool", shifted, every_other), channels - channels / 2, Window::square(1));
  return b.batch_norm(b.concat({left, right}, 1));
}

/// Twice: rectifier, depthwise, 1x1, normalisation; the first depthwise may be strided.
ValueId separable_cell(Builder& b, ValueId x, std::int64_t kernel, std::int64_t channels, std::int64_t stride) {
  for (const std::int64_t step : {stride, std::int64_t{1}}) {
    const auto place = b.scope(fmt::format("separable{}", kernel));
    x = b.depthwise("depthwise", b.relu(x), kept_size(kernel, step));
    x = b.conv_norm("pointwise", x, channels, Window::square(1));
  }
  return x;
}

ValueId pooled_cell(Builder& b, std::string_view op, ValueId x, const Window& window, std::int64_t channels) {
  x = b.pool(op, x, window);
  return b.dim(x, 1) == channels ? x : project(b, "match", x, channels);
}

/// Bottlenecked convolutions: 1x1 to a quarter, the given windows, 1x1 back.
ValueId bottleneck(Builder& b, ValueId x, std::span<const Window> windows, std::int64_t channels) {
  x = project(b, "narrow", x, channels / 4);
  for (const Window& window : windows) x = b.conv_norm("filter", b.relu(x), channels / 4, window);
  return project(b, "widen", x, channels);
}

ValueId apply(Builder& b, CellOp op, ValueId x, std::int64_t channels, std::int64_t stride) {
  switch (op) {
    case CellOp::none:
      if (stride == 2) return factorized_reduction(b, x, channels);
      return b.dim(x, 1) == channels ? x : project(b, "match", x, channels);
    case CellOp::separable3: return separable_cell(b, x, 3, channels, stride);
    case CellOp::separable5: return separable_cell(b, x, 5, channels, stride);
    case CellOp::separable7: return separable_cell(b, x, 7, channels, stride);
    case CellOp::average3: return pooled_cell(b, "AveragePool", x, kept_size(3, stride), channels);
    case CellOp::max3: return pooled_cell(b, "MaxPool", x, kept_size(3, stride), channels);
    case CellOp::max2: {
      // An odd resolution is padded at the end, so that every way of halving it gives the same.
      const std::int64_t end = b.dim(x, 2) % 2 == 0 && stride == 2 ? 0 : 1;
      return pooled_cell(b, "MaxPool", x, {.kernel = {2, 2}, .strides = {stride, stride}, .pads = {0, 0, end, end}},
                         channels);
    }
    case CellOp::conv1: return project(b, "conv", x, channels, stride);
    case CellOp::conv3: {
      const Window window = kept_size(3, stride);
      return bottleneck(b, x, std::span(&window, 1), channels);
    }
    case CellOp::conv1x7_7x1: {
      const Window windows[] = {{.kernel = {1, 7}, .strides = {1, stride}, .pads = {0, 3, 0, 3}},
                                {.kernel = {7, 1}, .strides = {stride, 1}, .pads = {3, 0, 3, 0}}};
      return bottleneck(b, x, windows, channels);
    }
  }
  HONE_CHECK(false, "unknown cell operation");
}

}  // namespace

ValueId searched_cell(Builder& b, const CellPlan& plan, CellInputs inputs, std::int64_t channels, std::int64_t stride) {
  const ValueId newest = project(b, "newest", inputs.newest, channels);
  const bool finer = b.dim(inputs.older, 2) != b.dim(inputs.newest, 2);
  const ValueId older =
      finer ? factorized_reduction(b, inputs.older, channels) : project(b, "older", inputs.older, channels);
  std::vector<ValueId> states{newest, older};
  if (plan.newest == 1) std::swap(states[0], states[1]);
  for (std::size_t i = 0; i + 1 < plan.edges.size(); i += 2) {
    const auto place = b.scope(fmt::format("block{}", i / 2));
    const auto half = [&](const CellEdge& edge) {
      return apply(b, edge.op, states[edge.state], channels, edge.state < 2 ? stride : 1);
    };
    const ValueId left = half(plan.edges[i]), right = half(plan.edges[i + 1]);
    states.push_back(b.add(left, right));
  }
  std::vector<ValueId> parts;
  for (const std::size_t state : plan.joined) parts.push_back(states[state]);
  return b.concat(parts, 1);
}

}  // namespace hone::zoo
