#include <algorithm>

#include "graph/ops/resize.h"
#include "graph/ops/rounding.h"
#include "run/native/direct_step.h"

// Resize: axis after axis, every element a weighted sum of a few along it.

namespace hone::native {
namespace {

/// One axis of a tensor that is resized, with all that is before and after it as it is at that time.
struct AxisPass {
  std::int64_t outer = 1, from = 1, to = 1, inner = 1;
  AxisTaps taps;
};

std::vector<AxisPass> passes_of(const Dims& dims, std::vector<AxisTaps> taps) {
  std::vector<AxisPass> passes;
  Dims now = dims;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (taps[axis].empty()) continue;
    AxisPass pass{.from = now[axis], .to = static_cast<std::int64_t>(taps[axis].size()), .taps = std::move(taps[axis])};
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (i != axis) (i < axis ? pass.outer : pass.inner) *= now[i];
    now[axis] = pass.to;
    passes.push_back(std::move(pass));
  }
  return passes;
}

/// Reals that sums are taken in.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;

template <class Real>
void run_pass(const AxisPass& pass, const Real* from, Real* to, Real outside) {
  for (std::int64_t outer = 0; outer < pass.outer; ++outer)
    for (std::int64_t i = 0; i < pass.to; ++i) {
      Real* const line = to + (outer * pass.to + i) * pass.inner;
      const std::vector<Tap>& taps = pass.taps[static_cast<std::size_t>(i)];
      std::fill_n(line, pass.inner, taps.empty() ? outside : Real(0));
      for (const Tap& tap : taps) {
        const Real* const source = from + (outer * pass.from + tap.place) * pass.inner;
        const auto weight = static_cast<Real>(tap.weight);
        for (std::int64_t k = 0; k < pass.inner; ++k) line[k] += weight * source[k];
      }
    }
}

/// Scratch holds what goes into a pass and what comes out, in turn.
template <class T>
DirectStep::Code resizing(std::vector<AxisPass> passes, std::int64_t count, std::int64_t most, std::size_t output,
                          double outside) {
  return [=, passes = std::move(passes)](std::span<void* const> arrays, std::byte* scratch) {
    using Real = Sum<T>;
    Real* from = reinterpret_cast<Real*>(scratch);
    Real* to = from + most;
    const auto* input = static_cast<const T*>(arrays[0]);
    auto* result = static_cast<T*>(arrays[output]);
    std::transform(input, input + count, from, [](const T& x) { return static_cast<Real>(x); });
    std::int64_t size = count;
    for (const AxisPass& pass : passes) {
      run_pass(pass, from, to, static_cast<Real>(outside));
      std::swap(from, to);
      size = pass.outer * pass.to * pass.inner;
    }
    std::transform(from, from + size, result, [](Real x) { return rounded<T>(static_cast<double>(x)); });
  };
}

bool lower_resize(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  if (!has_loop_type(node.element(0)) || node.element(0) == ElementType::boolean) return false;
  if (element_count(node.output_dims(0)) == 0 || element_count(node.dims(0)) == 0) return false;
  for (std::size_t i = 1; i < node.input_count(); ++i)
    if (node.has_input(i) && node.constant(i) == nullptr) return false;
  std::vector<AxisPass> passes = passes_of(
      node.dims(0), resize_taps(node, node.dims(0), [&](std::size_t i) -> const Tensor& { return *node.constant(i); }));
  const std::int64_t count = element_count(node.dims(0));
  std::int64_t most = count;
  for (const AxisPass& pass : passes) most = std::max(most, pass.outer * pass.to * pass.inner);
  const bool has_value = node.entry().name == "Resize" && node.version() >= 11;
  const double outside = has_value ? node.number("extrapolation_value") : 0;
  node.lower(dispatch_number(node.element(0),
                             [&](auto sample) {
                               return resizing<decltype(sample)>(std::move(passes), count, most, node.first_output(),
                                                                 outside);
                             }),
             static_cast<std::size_t>(most) * 2 * sizeof(double));
  return true;
}

const LoweringTable resizings({{"Resize", lower_resize}, {"Upsample", lower_resize}});

}  // namespace
}  // namespace hone::native
