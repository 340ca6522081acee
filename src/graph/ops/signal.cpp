#include <cmath>
#include <complex>
#include <numbers>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Fourier transforms and what speech front ends build from them. The last axis of a signal holds one number (real) or
// two (real and imaginary).

namespace hone {
namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;

/// Sums signal[j] * exp(sign * 2 pi i j k / n): halves while the length is even, then plainly.
Signal transformed(const Signal& signal, double sign) {
  const std::size_t n = signal.size();
  const double turn = sign * 2 * std::numbers::pi / static_cast<double>(n);
  Signal result(n);
  if (n % 2 != 0 || n < 4) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j)
        result[k] += signal[j] * std::polar(1.0, turn * static_cast<double>(j * k % n));
    return result;
  }
  Signal even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n; ++i) (i % 2 == 0 ? even : odd)[i / 2] = signal[i];
  even = transformed(even, sign);
  odd = transformed(odd, sign);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const Complex turned = std::polar(1.0, turn * static_cast<double>(k)) * odd[k];
    result[k] = even[k] + turned;
    result[k + n / 2] = even[k] - turned;
  }
  return result;
}

/// Frequencies kept of `n`: a real signal's spectrum is symmetric, so half of it may do.
Dim kept_bins(Dim n, bool half) { return half ? floor_div(n, 2) + 1 : n; }

bool is_onesided(const NodeReader& node) { return node.integer("onesided") != 0; }

std::size_t transform_axis(const NodeReader& node, std::int64_t axis, std::size_t rank) {
  const std::size_t normalized = normalize_axis(node, axis, rank);
  if (normalized + 1 == rank) node.fail("the last axis holds real and imaginary parts");
  return normalized;
}

void infer_dft(InferContext& context) {
  const Shape* x = context.shape(0);
  if (x == nullptr) return context.output(0, context.element(0));
  Shape shape = *x;
  if (shape.size() < 2) context.fail("the input {} is no signal", text_of(shape));
  shape.back() = 2;
  std::optional<std::int64_t> axis = context.version() < 20 ? context.integer("axis") : -2;
  if (context.version() >= 20 && context.has_input(2)) {
    const auto given = context.known_integers(2);
    axis = given && given->size() == 1 ? std::optional((*given)[0]) : std::nullopt;
  }
  if (!axis) {
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) shape[i] = Dim();
    return context.output(0, context.element(0), shape);
  }
  Dim& length = shape[transform_axis(context, *axis, shape.size())];
  if (context.has_input(1)) {
    const auto given = context.contents(1);
    length = given && given->size() == 1 ? (*given)[0] : Dim();
  }
  length = kept_bins(length, is_onesided(context));
  context.output(0, context.element(0), shape);
}

/// A single number given as an input.
std::int64_t scalar_input(const EvaluateContext& context, std::size_t input) {
  const Tensor& tensor = context.tensor(input);
  if (tensor.count() != 1) context.fail("input {} is not a single number", input);
  return tensor.integer_at(0);
}

/// Lengths beyond this cannot be meant.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 28;

void evaluate_dft(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const std::int64_t parts = x.rank() < 2 ? 0 : x.dims().back();
  if (parts != 1 && parts != 2) context.fail("the input {} is no signal", text_of(x.shape()));
  std::int64_t given_axis = context.version() < 20 ? context.integer("axis") : -2;
  if (context.version() >= 20 && context.has_input(2)) given_axis = scalar_input(context, 2);
  const std::size_t axis = transform_axis(context, given_axis, x.rank());
  const std::int64_t length = context.has_input(1) ? scalar_input(context, 1) : x.dim(axis);
  if (length < 1 || length > kMaxLength) context.fail("the length of the transform is {}", length);
  Dims dims = x.dims();
  dims.back() = 2;
  dims[axis] = kept_bins(length, is_onesided(context)).value();
  const bool inverse = context.integer("inverse") != 0;
  const Numbers<double> numbers(x);
  std::vector<double> result(buffer_size(dims));
  const std::int64_t outer = count_between(x.dims(), 0, axis), inner = count_between(x.dims(), axis + 1, x.rank() - 1);
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    Signal signal(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < std::min(length, x.dim(axis)); ++i) {
      const auto at = static_cast<std::size_t>(((line / inner * x.dim(axis) + i) * inner + line % inner) * parts);
      signal[static_cast<std::size_t>(i)] = {numbers[at], parts == 2 ? numbers[at + 1] : 0};
    }
    signal = transformed(signal, inverse ? 1 : -1);
    for (std::int64_t i = 0; i < dims[axis]; ++i) {
      const auto at = static_cast<std::size_t>(((line / inner * dims[axis] + i) * inner + line % inner) * 2);
      const Complex bin = signal[static_cast<std::size_t>(i)] / (inverse ? static_cast<double>(length) : 1);
      result[at] = bin.real();
      result[at + 1] = bin.imag();
    }
  }
  context.output(0, tensor_of(x.type(), dims, result));
}

void infer_stft(InferContext& context) {
  const Shape* x = context.shape(0);
  Shape shape = {Dim(), Dim(), Dim(), 2};
  if (x != nullptr && !x->empty()) shape[0] = (*x)[0];
  Dim length;
  const auto given = context.contents(3);
  if (given && given->size() == 1) length = (*given)[0];
  else if (!context.has_input(3) && context.shape(2) != nullptr && context.shape(2)->size() == 1)
    length = (*context.shape(2))[0];
  shape[2] = kept_bins(length, is_onesided(context));
  const auto step = context.known_integers(1);
  if (x != nullptr && x->size() >= 2 && step && step->size() == 1 && (*step)[0] > 0)
    shape[1] = floor_div((*x)[1] - length, (*step)[0]) + 1;
  context.output(0, context.element(0), shape);
}

/// Frames of a short-time transform.
struct Frames {
  std::int64_t length, step, count;
  std::vector<double> window;
};

Frames frames_of(const EvaluateContext& context, std::int64_t samples) {
  Frames frames;
  frames.step = scalar_input(context, 1);
  frames.length = context.has_input(3)   ? scalar_input(context, 3)
                  : context.has_input(2) ? static_cast<std::int64_t>(context.tensor(2).count())
                                         : samples;
  if (frames.length < 1 || frames.length > samples || frames.step < 1)
    context.fail("frames of {} every {} for {} samples", frames.length, frames.step, samples);
  frames.count = (samples - frames.length) / frames.step + 1;
  frames.window.assign(static_cast<std::size_t>(frames.length), 1);
  if (context.has_input(2)) {
    const Numbers<double> window(context.tensor(2));
    if (window.size() != frames.window.size())
      context.fail("a window of {} for frames of {}", window.size(), frames.length);
    frames.window.assign(window.view().begin(), window.view().end());
  }
  return frames;
}

void evaluate_stft(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const std::int64_t parts = x.rank() == 3 ? x.dim(2) : 1;
  if ((x.rank() != 2 && x.rank() != 3) || (parts != 1 && parts != 2))
    context.fail("the input {} is no signal", text_of(x.shape()));
  const Frames frames = frames_of(context, x.dim(1));
  const std::int64_t bins = kept_bins(frames.length, is_onesided(context)).value();
  const Numbers<double> numbers(x);
  std::vector<double> result;
  for (std::int64_t line = 0; line < x.dim(0) * frames.count; ++line) {
    const std::int64_t start = line / frames.count * x.dim(1) + line % frames.count * frames.step;
    Signal signal;
    for (std::int64_t i = 0; i < frames.length; ++i) {
      const auto at = static_cast<std::size_t>((start + i) * parts);
      signal.push_back(Complex(numbers[at], parts == 2 ? numbers[at + 1] : 0) *
                       frames.window[static_cast<std::size_t>(i)]);
    }
    signal = transformed(signal, -1);
    for (std::int64_t i = 0; i < bins; ++i) {
      result.push_back(signal[static_cast<std::size_t>(i)].real());
      result.push_back(signal[static_cast<std::size_t>(i)].imag());
    }
  }
  context.output(0, tensor_of(x.type(), {x.dim(0), frames.count, bins, 2}, result));
}

ElementType mel_type(const NodeReader& node) {
  const std::int64_t type = node.integer("output_datatype");
  if (!is_known_element_type(type)) node.fail("output_datatype cannot be {}", type);
  return static_cast<ElementType>(type);
}

void infer_mel_weights(InferContext& context) {
  Shape shape(2);
  const auto bins = context.contents(0), length = context.contents(1);
  if (length && length->size() == 1) shape[0] = kept_bins((*length)[0], true);
  if (bins && bins->size() == 1) shape[1] = (*bins)[0];
  context.output(0, mel_type(context), shape);
}

/// Spectrum bins at which the triangles of the mel filters begin, peak and end: evenly spaced on the mel scale.
std::vector<std::int64_t> mel_edges(const EvaluateContext& context, std::int64_t bins, std::int64_t length) {
  const double rate = context.tensor(2).number_at(0);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(context.tensor(3).number_at(0)), high = mel(context.tensor(4).number_at(0));
  const double step = (high - low) / static_cast<double>(bins + 2);
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double edge = std::floor(static_cast<double>(length + 1) * hertz / rate);
    if (!(edge >= 0 && edge <= static_cast<double>(length / 2)))
      context.fail("a filter edge lies outside the spectrum");
    edges.push_back(static_cast<std::int64_t>(edge));
  }
  return edges;
}

void evaluate_mel_weights(EvaluateContext& context) {
  for (std::size_t i = 2; i < 5; ++i)
    if (context.tensor(i).count() != 1) context.fail("input {} is not a single number", i);
  const std::int64_t bins = scalar_input(context, 0), length = scalar_input(context, 1);
  if (bins < 0 || length < 1 || bins > kMaxLength || length > kMaxLength)
    context.fail("{} filters of {}", bins, length);
  const std::vector<std::int64_t> edges = mel_edges(context, bins, length);
  const Dims dims = {length / 2 + 1, bins};
  std::vector<double> weights(buffer_size(dims));
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const auto edge = edges.begin() + bin;
    const std::int64_t begin = edge[0], peak = edge[1], end = edge[2];
    const auto weight = [&](std::int64_t at) -> double& { return weights[static_cast<std::size_t>(at * bins + bin)]; };
    if (begin == peak) weight(peak) = 1;
    for (std::int64_t at = begin; begin < peak && at <= peak; ++at)
      weight(at) = static_cast<double>(at - begin) / static_cast<double>(peak - begin);
    for (std::int64_t at = peak; at < end; ++at)
      weight(at) = static_cast<double>(end - at) / static_cast<double>(end - peak);
  }
  context.output(0, tensor_of(mel_type(context), dims, weights));
}

/// A fast transform takes about 5 n log2(n) operations.
double transform_flops(double length) { return 5 * length * std::log2(std::max(2.0, length)); }

double dft_flops(const CostContext& context) {
  const double elements = context.output_elements(0) / 2;
  return elements * std::log2(std::max(2.0, context.output_dim(0, 1))) * 5;
}
double stft_flops(const CostContext& context) {
  const double length = context.output_dim(0, 2) * (is_onesided(context) ? 2 : 1);
  return context.output_dim(0, 0) * context.output_dim(0, 1) * transform_flops(length);
}

// clang-format off
const OpFamily signal_family({
    {.name = "DFT", .versions = {17, 20}, .inputs = {1, 3},
     .attributes = {integer("axis", 1).until(20), integer("inverse", 0), integer("onesided", 0)},
     .kind = OpKind::contraction, .infer = infer_dft, .evaluate = evaluate_dft, .flops = dft_flops},
    {.name = "STFT", .versions = {17}, .inputs = {2, 4}, .attributes = {integer("onesided", 1)},
     .kind = OpKind::contraction, .infer = infer_stft, .evaluate = evaluate_stft, .flops = stft_flops},
    {.name = "MelWeightMatrix", .versions = {17}, .inputs = {5, 5}, .attributes = {integer("output_datatype", 1)},
     .kind = OpKind::opaque, .infer = infer_mel_weights, .evaluate = evaluate_mel_weights},
});
// clang-format on

}  // namespace
}  // namespace hone
