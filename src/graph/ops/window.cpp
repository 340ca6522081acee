#include "graph/ops/window.h"

#include <algorithm>

namespace hone {
namespace {

// Far beyond any real kernel, and small enough that no sum or product of two such numbers overflows.
constexpr std::int64_t kMaxSetting = std::int64_t{1} << 30;

/// A list attribute with one entry for each of `wanted`; `fallback` everywhere when the node has none.
std::vector<std::int64_t> setting(const NodeReader& node, std::string_view name, std::size_t wanted,
                                  std::int64_t fallback) {
  std::vector<std::int64_t> list = node.integers(name);
  if (list.empty()) list.assign(wanted, fallback);
  if (list.size() != wanted) node.fail("{} has {} entries, expected {}", name, list.size(), wanted);
  for (const std::int64_t entry : list)
    if (entry < fallback || entry > kMaxSetting) node.fail("{} cannot be {}", name, entry);
  return list;
}

}  // namespace

std::optional<std::vector<std::int64_t>> kernel_shape(const NodeReader& node) {
  if (!node.has_attribute("kernel_shape")) return std::nullopt;
  std::vector<std::int64_t> sizes = node.integers("kernel_shape");
  for (const std::int64_t size : sizes)
    if (size < 1 || size > kMaxSetting) node.fail("kernel_shape cannot be {}", size);
  return sizes;
}

std::optional<std::vector<std::int64_t>> weight_window(const NodeReader& node, const Shape* weights) {
  std::optional<std::vector<std::int64_t>> sizes = kernel_shape(node);
  if (weights == nullptr) return sizes;
  std::vector<std::int64_t> found;
  for (std::size_t i = 2; i < weights->size(); ++i) {
    if (!(*weights)[i].known()) return sizes;
    found.push_back((*weights)[i].value());
  }
  if (sizes && *sizes != found) node.fail("kernel_shape differs from the weights {}", text_of(*weights));
  return found;
}

Window read_window(const NodeReader& node, std::span<const std::int64_t> sizes) {
  const std::size_t rank = sizes.size();
  const auto strides = setting(node, "strides", rank, 1), dilations = setting(node, "dilations", rank, 1);
  Window window;
  const std::string mode = node.has_attribute("auto_pad") ? node.text("auto_pad") : "NOTSET";
  if (mode == "SAME_UPPER") window.padding = Window::Padding::same_upper;
  else if (mode == "SAME_LOWER") window.padding = Window::Padding::same_lower;
  else if (mode != "NOTSET" && mode != "VALID") node.fail("auto_pad cannot be '{}'", mode);
  const auto pads = mode == "NOTSET" ? setting(node, "pads", 2 * rank, 0) : std::vector<std::int64_t>(2 * rank, 0);
  window.partial_last = node.has_attribute("ceil_mode") && node.integer("ceil_mode") != 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || sizes[i] > kMaxSetting) node.fail("a window cannot be {} long", sizes[i]);
    window.axes.push_back({sizes[i], strides[i], dilations[i], pads[i], pads[rank + i]});
  }
  return window;
}

Dim Window::count(const NodeReader& node, std::size_t axis, Dim input) const {
  const WindowAxis& along = axes[axis];
  if (padding != Padding::given) return ceil_div(input, along.stride);
  const Dim room = input + along.pad_begin + along.pad_end - along.extent();
  if (room.known() && room.value() < 0) {
    if (input == Dim(0)) return 0;
    if (!partial_last || room.value() <= -along.stride)
      node.fail("a window of {} does not fit {} elements", along.extent(), input.text());
  }
  if (!partial_last || along.stride == 1) return floor_div(room, along.stride) + 1;
  // A window may reach over the end, but must not begin in the padding behind it.
  return minimum(ceil_div(room, along.stride) + 1, ceil_div(input + along.pad_begin, along.stride));
}

Window Window::padded_for(std::span<const std::int64_t> spatial) const {
  Window padded = *this;
  padded.padding = Padding::given;
  if (padding == Padding::given) return padded;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    WindowAxis& along = padded.axes[i];
    const std::int64_t positions = (spatial[i] + along.stride - 1) / along.stride;
    const std::int64_t total = std::max<std::int64_t>(0, (positions - 1) * along.stride + along.extent() - spatial[i]);
    along.pad_begin = padding == Padding::same_upper ? total / 2 : total - total / 2;
    along.pad_end = total - along.pad_begin;
  }
  return padded;
}

Shape windowed_shape(const NodeReader& node, Shape shape, const Shape& x, const Shape* weights) {
  const auto sizes = weight_window(node, weights);
  if (!sizes) return shape;
  if (sizes->size() + 2 != x.size()) node.fail("kernel_shape does not fit the input {}", text_of(x));
  const Window window = read_window(node, *sizes);
  for (std::size_t i = 0; i < window.axes.size(); ++i) shape[i + 2] = window.count(node, i, x[i + 2]);
  return shape;
}

}  // namespace hone
