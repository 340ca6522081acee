#include <algorithm>
#include <cstring>

#include "graph/ops/axes.h"
#include "graph/ops/convert.h"
#include "run/native/direct_step.h"

// What goes along an axis from element to element: running sums and products, reversal, the largest few.

namespace hone::native {
namespace {

/// A tensor seen as lines along one axis: element k of a line is `inner` elements after element k - 1.
struct Lines {
  Lines(const Dims& dims, std::size_t axis) {
    for (std::size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : i == axis ? length : inner) *= dims[i];
  }
  std::int64_t first(std::int64_t line) const { return line / inner * length * inner + line % inner; }
  std::int64_t count() const { return outer * inner; }

  std::int64_t outer = 1, length = 1, inner = 1;
};

template <class T>
using RunningTotal = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

enum class Running { sum, product };

template <Running what>
bool lower_running(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const Tensor* axis = node.constant(1);
  if (axis == nullptr || axis->count() != 1 || !has_loop_type(node.element(0)) ||
      node.element(0) == ElementType::boolean)
    return false;
  const Lines lines(node.dims(0), normalize_axis(node, axis->integer_at(0), node.dims(0).size()));
  const bool exclusive = node.integer("exclusive") != 0, reverse = node.integer("reverse") != 0;
  node.lower(dispatch_number(node.element(0), [&](auto sample) -> DirectStep::Code {
    using T = decltype(sample);
    return [=](std::span<void* const> arrays, std::byte*) {
      const auto* in = static_cast<const T*>(arrays[0]);
      auto* out = static_cast<T*>(arrays[2]);
      for (std::int64_t line = 0; line < lines.count(); ++line) {
        RunningTotal<T> total = what == Running::sum ? 0 : 1;
        for (std::int64_t k = 0; k < lines.length; ++k) {
          const std::int64_t at = lines.first(line) + (reverse ? lines.length - 1 - k : k) * lines.inner;
          const auto element = static_cast<RunningTotal<T>>(in[at]);
          const RunningTotal<T> next = what == Running::sum ? total + element : total * element;
          out[at] = static_cast<T>(exclusive ? total : next);
          total = next;
        }
      }
    };
  }));
  return true;
}

/// The first elements of every line in reverse order, as many as a length for it says; the others as they are.
bool lower_reverse_sequence(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const Dims dims = node.dims(0), strides = strides_of(dims);
  if (node.element(0) == ElementType::string || bit_width(node.element(0)) % 8 != 0) return false;
  const std::size_t batch = normalize_axis(node, node.integer("batch_axis"), dims.size());
  const std::size_t time = normalize_axis(node, node.integer("time_axis"), dims.size());
  if (batch == time || node.element(1) != ElementType::int64) return false;
  node.lower([=, bytes = node.element_bytes(0), count = element_count(dims)](std::span<void* const> arrays,
                                                                             std::byte*) {
    const auto* from = static_cast<const std::byte*>(arrays[0]);
    const auto* lengths = static_cast<const std::int64_t*>(arrays[1]);
    auto* to = static_cast<std::byte*>(arrays[2]);
    for (std::int64_t at = 0; at < count; ++at) {
      const std::int64_t length = lengths[at / strides[batch] % dims[batch]], k = at / strides[time] % dims[time];
      if (length < 0 || length > dims[time]) fail("a length of {} for {} time steps", length, dims[time]);
      const std::int64_t source = k < length ? at + (length - 1 - 2 * k) * strides[time] : at;
      std::memcpy(to + static_cast<std::size_t>(at) * bytes, from + static_cast<std::size_t>(source) * bytes, bytes);
    }
  });
  return true;
}

/// The first `k` of every line in order, ties by index; what is not a number counts as larger than all else.
template <class T>
DirectStep::Code largest_few(const Lines& lines, std::int64_t k, bool largest) {
  return [=](std::span<void* const> arrays, std::byte* scratch) {
    const auto* in = static_cast<const T*>(arrays[0]);
    auto* order = reinterpret_cast<std::int64_t*>(scratch);
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      const T* const first = in + lines.first(line);
      for (std::int64_t i = 0; i < lines.length; ++i) order[i] = i;
      const auto comes_first = [&](std::int64_t a, std::int64_t b) {
        const T x = first[a * lines.inner], y = first[b * lines.inner];
        const bool x_odd = !(x == x), y_odd = !(y == y);
        if (x_odd || y_odd) return x_odd != y_odd ? x_odd == largest : a < b;
        return x == y ? a < b : (largest ? y < x : x < y);
      };
      std::partial_sort(order, order + k, order + lines.length, comes_first);
      const std::int64_t start = line / lines.inner * k * lines.inner + line % lines.inner;
      for (std::int64_t i = 0; i < k; ++i) {
        if (arrays[2] != nullptr) static_cast<T*>(arrays[2])[start + i * lines.inner] = first[order[i] * lines.inner];
        if (arrays[3] != nullptr) static_cast<std::int64_t*>(arrays[3])[start + i * lines.inner] = order[i];
      }
    }
  };
}

bool lower_top_k(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  if (node.version() < 10 || node.constant(1) == nullptr || !has_loop_type(node.element(0))) return false;
  const std::size_t axis = normalize_axis(node, node.integer("axis"), node.dims(0).size());
  const Lines lines(node.dims(0), axis);
  const std::int64_t k = node.constant(1)->integer_at(0);
  if (k < 0 || k > lines.length || node.output_count() < 2) return false;
  const bool largest = node.version() < 11 || node.integer("largest") != 0;
  node.lower(
      dispatch_number(node.element(0), [&](auto sample) { return largest_few<decltype(sample)>(lines, k, largest); }),
      static_cast<std::size_t>(lines.length) * sizeof(std::int64_t));
  return true;
}

const LoweringTable line_scannings({{"CumSum", lower_running<Running::sum>},
                                    {"CumProd", lower_running<Running::product>},
                                    {"ReverseSequence", lower_reverse_sequence},
                                    {"TopK", lower_top_k}});

}  // namespace
}  // namespace hone::native
