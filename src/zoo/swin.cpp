#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "zoo/builder.h"
#include "zoo/registry.h"

// Swin transformer (Liu et al., 2021): attention within windows of an image, moved by half a window in every other
// block.

namespace hone::zoo {
namespace {

/// Square windows of `size` tokens a side on a map of `side` tokens, cut after the map was moved by `shift`.
struct Windows {
  std::int64_t side;
  std::int64_t size;
  std::int64_t shift;

  std::int64_t tokens() const { return size * size; }
  std::int64_t a_side() const { return side / size; }
  std::int64_t count() const { return a_side() * a_side(); }
};

/// [batch, side, side, width] to [batch * windows, tokens, width].
ValueId cut_windows(Builder& b, ValueId x, const Windows& windows) {
  const std::int64_t a_side = windows.a_side(), size = windows.size, width = b.dim(x, 3);
  const ValueId cut = b.reshape(x, {b.dim(x, 0), a_side, size, a_side, size, width});
  return b.reshape(b.transpose(cut, {0, 1, 3, 2, 4, 5}), {-1, windows.tokens(), width});
}

/// The way back.
ValueId join_windows(Builder& b, ValueId x, const Windows& windows) {
  const std::int64_t a_side = windows.a_side(), size = windows.size, width = b.dim(x, 2);
  const ValueId cut = b.reshape(x, {-1, a_side, a_side, size, size, width});
  return b.reshape(b.transpose(cut, {0, 1, 3, 2, 4, 5}), {-1, windows.side, windows.side, width});
}

/// Both axes of the map moved so that `first` comes first and what was before it last.
ValueId rolled(Builder& b, ValueId x, std::int64_t first) {
  for (const std::int64_t axis : {1, 2})
    x = b.concat({b.slice(x, axis, first, b.dim(x, axis)), b.slice(x, axis, 0, first)}, axis);
  return x;
}

/// What is added to the scores of every window: a learned number a head for each distance of two tokens.
ValueId distance_bias(Builder& b, const Windows& windows, std::int64_t heads) {
  const std::int64_t reach = 2 * windows.size - 1, tokens = windows.tokens(), size = windows.size;
  const ValueId table = b.weight("distance_bias", {reach * reach, heads}, {.spread = 0.03});
  Tensor rows = Tensor::zeros(ElementType::int64, {tokens * tokens});
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t j = 0; j < tokens; ++j) {
      const std::int64_t down = i / size - j / size + size - 1, right = i % size - j % size + size - 1;
      rows.set_number(static_cast<std::size_t>(i * tokens + j), static_cast<double>(down * reach + right));
    }
  const ValueId chosen = b.gather(table, b.constant("distances", std::move(rows)));
  return b.unsqueeze(b.transpose(b.reshape(chosen, {tokens, tokens, heads}), {2, 0, 1}), {0});
}

/// [1, windows, 1, tokens, tokens]: tokens that were apart before the map was moved do not see one another.
ValueId shift_mask(Builder& b, const Windows& windows) {
  const std::int64_t tokens = windows.tokens(), size = windows.size, a_side = windows.a_side();
  const auto region = [&](std::int64_t at) {
    return at < windows.side - size ? 0 : at < windows.side - windows.shift ? 1 : 2;
  };
  const auto region_of = [&](std::int64_t window, std::int64_t token) {
    return 3 * region(window / a_side * size + token / size) + region(window % a_side * size + token % size);
  };
  Tensor mask = Tensor::zeros(b.element(), {1, windows.count(), 1, tokens, tokens});
  for (std::int64_t window = 0; window < windows.count(); ++window)
    for (std::int64_t i = 0; i < tokens; ++i)
      for (std::int64_t j = 0; j < tokens; ++j)
        if (region_of(window, i) != region_of(window, j))
          mask.set_number(static_cast<std::size_t>((window * tokens + i) * tokens + j), -100);
  return b.constant("mask", std::move(mask));
}

/// Attention of the tokens of each window, [batch * windows, tokens, width], to one another.
ValueId window_attention(Builder& b, ValueId x, const Windows& windows, std::int64_t heads) {
  const auto place = b.scope("attention");
  const std::int64_t width = b.dim(x, 2), tokens = windows.tokens();
  const ValueId all = b.reshape(b.linear("qkv", x, 3 * width), {0, 0, 3, heads, width / heads});
  const std::vector<ValueId> parts = b.split_evenly(b.transpose(all, {2, 0, 3, 1, 4}), 0, 3);
  const ValueId q = b.mul(b.squeeze(parts[0], {0}), 1 / std::sqrt(static_cast<double>(width / heads)));
  const ValueId k = b.squeeze(parts[1], {0}), v = b.squeeze(parts[2], {0});
  ValueId scores = b.add(b.matmul(q, b.transpose_matrix(k)), distance_bias(b, windows, heads));
  if (windows.shift > 0) {
    const ValueId apart = b.reshape(scores, {-1, windows.count(), heads, tokens, tokens});
    scores = b.reshape(b.add(apart, shift_mask(b, windows)), {-1, heads, tokens, tokens});
  }
  return b.linear("project", b.merge_heads(b.matmul(b.softmax(scores), v)), width);
}

ValueId swin_block(Builder& b, ValueId x, const Windows& windows, std::int64_t heads) {
  const std::int64_t width = b.dim(x, 3);
  ValueId y = b.layer_norm("norm1", x);
  if (windows.shift > 0) y = rolled(b, y, windows.shift);
  y = join_windows(b, window_attention(b, cut_windows(b, y, windows), windows, heads), windows);
  if (windows.shift > 0) y = rolled(b, y, windows.side - windows.shift);
  x = b.add(x, y);
  const ValueId inner = b.gelu(b.linear("expand", b.layer_norm("norm2", x), 4 * width));
  return b.add(x, b.linear("contract", inner, width));
}

/// Four neighbours become one token of twice the width.
ValueId merge_patches(Builder& b, ValueId x) {
  const auto place = b.scope("merge");
  const std::int64_t side = b.dim(x, 1), width = b.dim(x, 3);
  if (side % 2 != 0) fail_usage("swin: {} tokens a side cannot be merged two by two", side);
  const ValueId pairs = b.reshape(x, {0, side / 2, 2, side / 2, 2, width});
  const ValueId merged = b.reshape(b.transpose(pairs, {0, 1, 3, 4, 2, 5}), {0, side / 2, side / 2, 4 * width});
  return b.linear("reduce", b.layer_norm("norm", merged), 2 * width, Bias::none);
}

void swin(Builder& b, const Settings& s) {
  const std::int64_t width = s["hidden"], heads = s["heads"];
  if (width % heads != 0) fail_usage("swin: hidden={} is not a multiple of heads={}", width, heads);
  const std::int64_t blocks[] = {2, 2, s["layers"], 2};
  const ValueId image = b.input("image", {s["batch"], 3, s["resolution"], s["resolution"]});
  const ValueId patches = b.conv("patches", image, width, Window::square(4, 4), Bias::present);
  ValueId x = b.layer_norm("patches_norm", b.transpose(patches, {0, 2, 3, 1}));
  for (std::size_t i = 0; i < std::size(blocks); ++i) {
    const auto stage = b.scope(fmt::format("stage{}", i + 1));
    if (i > 0) x = merge_patches(b, x);
    const std::int64_t side = b.dim(x, 1), size = std::min(s["window"], side);
    if (side % size != 0) fail_usage("swin: windows of {} do not divide {} tokens a side", size, side);
    for (std::int64_t j = 0; j < blocks[i]; ++j) {
      const auto place = b.scope(fmt::format("block{}", j));
      x = swin_block(b, x, {side, size, j % 2 == 1 && size < side ? size / 2 : 0}, heads << i);
    }
  }
  x = b.transpose(b.layer_norm("final_norm", x), {0, 3, 1, 2});
  b.predict_classes(b.classifier("head", b.reshape(b.global_average_pool(x), {0, -1}), s["classes"]));
}

const ZooFamily swin_family({{"swin",
                              "Swin-T: attention within windows of an image, moved every other block",
                              {batch_parameter(),
                               {"resolution", 224, "pixels a side"},
                               {"window", 7, "tokens a side of a window"},
                               depth_parameter("layers", 6, "blocks of the third stage"),
                               {"hidden", 96, "width of the first stage"},
                               {"heads", 3, "attention heads of the first stage"},
                               {"classes", 1000, "classes"}},
                              swin}});

}  // namespace
}  // namespace hone::zoo
