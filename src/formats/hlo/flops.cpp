#include "formats/hlo/flops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/hlo/attributes.h"

namespace hone::hlo {
namespace {

const Shape& operand_shape(const Module& module, const Instruction& instruction, std::size_t i) {
  return module.shape_of(module.operands(instruction)[i]);
}

/// The result, or the first array of a tuple of results.
const Shape& first_output(const Module& module, const Instruction& instruction) {
  const Shape* shape = &module.shape(instruction.shape);
  while (shape->is_tuple() && !shape->elements.empty()) shape = &module.shape(shape->elements.front());
  return *shape;
}

double last_dimension(const Shape& shape) {
  return shape.rank() == 0 ? 1 : static_cast<double>(std::max<std::int64_t>(1, shape.dimensions.back().size));
}

double dot_flops(const Module& module, const Instruction& dot) {
  const Shape& lhs = operand_shape(module, dot, 0);
  double contracted = 1;
  for (const std::int64_t axis : integers(module, dot, "lhs_contracting_dims"))
    if (axis >= 0 && axis < static_cast<std::int64_t>(lhs.rank()))
      contracted *= static_cast<double>(std::max<std::int64_t>(1, lhs.size(static_cast<std::size_t>(axis))));
  return 2 * contracted * element_count(first_output(module, dot));
}

/// Pairs of output position and window position that fall on an element of the input and not on padding or a hole.
double valid_positions(const WindowDimension& window, std::int64_t input_size, std::int64_t output_size) {
  constexpr double kMaxSteps = 1 << 14;  // an absurd file must not make us count for long
  const bool is_plain = window.stride == 1 && window.base_dilation == 1 && window.pad_low == 0 && window.pad_high == 0;
  const double all = static_cast<double>(window.size) * static_cast<double>(output_size);
  const bool in_range = std::max({window.size, window.stride, window.base_dilation, window.window_dilation, input_size,
                                  output_size, std::abs(window.pad_low)}) < (std::int64_t{1} << 28);
  if (is_plain || !in_range || all > kMaxSteps) return all;
  double valid = 0;
  const std::int64_t dilated = (input_size - 1) * window.base_dilation + 1;
  for (std::int64_t k = 0; k < window.size; ++k) {
    for (std::int64_t o = 0; o < output_size; ++o) {
      const std::int64_t at = o * window.stride + k * window.window_dilation - window.pad_low;
      if (at >= 0 && at < dilated && at % window.base_dilation == 0) ++valid;
    }
  }
  return valid;
}

double convolution_flops(const Module& module, const Instruction& convolution) {
  const auto labels = convolution_labels(module, convolution);
  const Shape& input = operand_shape(module, convolution, 0);
  const Shape& kernel = operand_shape(module, convolution, 1);
  const Shape& output = first_output(module, convolution);
  const auto dimensions = window(module, convolution);
  const double out_features = static_cast<double>(kernel.size(labels->kernel_output_feature));
  const double in_features = static_cast<double>(kernel.size(labels->kernel_input_feature));
  double positions = 1;
  for (std::size_t i = 0; i < labels->output_spatial.size(); ++i) {
    const WindowDimension one = i < dimensions.size() ? dimensions[i] : WindowDimension{};
    positions *= valid_positions(one, input.size(labels->input_spatial[i]), output.size(labels->output_spatial[i]));
  }
  return 2 * positions * in_features * out_features * static_cast<double>(output.size(labels->output_batch));
}

/// cuDNN's convolutions carry the labels of the forward one, whichever of the three arrays they compute.
double library_convolution_flops(const Module& module, const Instruction& call, CustomCall kind) {
  const auto labels = convolution_labels(module, call);
  if (!labels || call.operands.count < 2) return 0;
  const Shape& result = first_output(module, call);
  const Shape& first = operand_shape(module, call, 0);
  const Shape& second = operand_shape(module, call, 1);
  const Shape& kernel = kind == CustomCall::convolution_kernel ? result : second;
  const Shape& output = kind == CustomCall::convolution_forward ? result
                        : kind == CustomCall::convolution_input ? first
                                                                : second;
  if (kernel.rank() <= labels->kernel_output_feature) return 0;
  const auto features = static_cast<double>(std::max<std::int64_t>(1, kernel.size(labels->kernel_output_feature)));
  return 2 * element_count(output) * element_count(kernel) / features;
}

/// cuBLAS and oneDNN calls keep the dot's dimensions in backend_config: "lhs_contracting_dimensions":["1"].
double library_matmul_flops(const Module& module, const Instruction& call) {
  if (call.operands.count < 2) return 0;
  const Shape& lhs = operand_shape(module, call, 0);
  const std::string_view config = module.attribute(call, "backend_config");
  const std::size_t key = config.find("lhs_contracting_dimensions");
  std::size_t axis = lhs.rank() - 1;
  if (key != std::string_view::npos) {
    const std::size_t digit = config.find_first_of("0123456789]", key);
    if (digit != std::string_view::npos && config[digit] != ']') axis = static_cast<std::size_t>(config[digit] - '0');
  }
  const double contracted = axis < lhs.rank() ? static_cast<double>(lhs.size(axis)) : 1;
  return 2 * std::max(1.0, contracted) * element_count(first_output(module, call));
}

double custom_call_flops(const Module& module, const Instruction& call) {
  switch (const CustomCall kind = custom_call_of(module, call)) {
    case CustomCall::opaque:
    case CustomCall::annotation: return 0;
    case CustomCall::matmul: return library_matmul_flops(module, call);
    default: return library_convolution_flops(module, call, kind);
  }
}

double window_elements(const Module& module, const Instruction& instruction) {
  double elements = 1;
  for (const WindowDimension& one : window(module, instruction)) elements *= static_cast<double>(one.size);
  return elements;
}

/// 5 n log2 n of a complex transform over each stretch of fft_length elements.
double fft_flops(const Module& module, const Instruction& fft) {
  double length = 1;
  for (const std::int64_t one : integers(module, fft, "fft_length"))
    length *= static_cast<double>(std::max<std::int64_t>(1, one));
  const double elements =
      std::max(element_count(operand_shape(module, fft, 0)), element_count(first_output(module, fft)));
  return 5 * elements * std::log2(std::max(2.0, length));
}

}  // namespace

CustomCall custom_call_of(const Module& module, const Instruction& instruction) {
  std::string_view target = module.attribute(instruction, "custom_call_target");
  if (target.size() >= 2 && target.starts_with('"')) target = target.substr(1, target.size() - 2);
  static constexpr std::string_view kAnnotations[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                                      "annotate_device_placement", "LayoutConstraint"};
  for (const std::string_view annotation : kAnnotations)
    if (target == annotation) return CustomCall::annotation;
  if (target.starts_with("__cublas$") || target == "__onednn$matmul" || target == "__triton_gemm")
    return CustomCall::matmul;
  if (target == "__onednn$convolution" || target.starts_with("__cudnn$convForward") ||
      target.starts_with("__cudnn$convBiasActivationForward"))
    return CustomCall::convolution_forward;
  if (target == "__cudnn$convBackwardInput") return CustomCall::convolution_input;
  if (target == "__cudnn$convBackwardFilter") return CustomCall::convolution_kernel;
  return CustomCall::opaque;
}

double flops_of(const Module& module, const Instruction& instruction, double callee_flops) {
  const double output = element_count(first_output(module, instruction));
  const auto input = [&](std::size_t i) { return element_count(operand_shape(module, instruction, i)); };
  switch (instruction.kind()) {
    case OpKind::dot: return dot_flops(module, instruction);
    case OpKind::convolution: return convolution_flops(module, instruction);
    case OpKind::custom_call: return custom_call_flops(module, instruction);
    case OpKind::reduce: return std::max(0.0, input(0) - output) * callee_flops;
    case OpKind::reduce_window: return output * std::max(0.0, window_elements(module, instruction) - 1) * callee_flops;
    case OpKind::select_and_scatter: return input(1) * window_elements(module, instruction);
    case OpKind::map: return output * callee_flops;
    case OpKind::sort:
      return output * std::log2(std::max(2.0, last_dimension(first_output(module, instruction)))) *
             std::max(1.0, callee_flops);
    case OpKind::scatter: return input(instruction.operands.count - 1) * callee_flops;
    case OpKind::fft: return fft_flops(module, instruction);
    case OpKind::cholesky: {
      const double n = last_dimension(operand_shape(module, instruction, 0));
      return input(0) * n / 3;
    }
    case OpKind::triangular_solve: return output * last_dimension(operand_shape(module, instruction, 0));
    case OpKind::collective:
    case OpKind::collective_start: return instruction.callees.count > 0 ? output * callee_flops : 0;
    default: return output * instruction.entry->flops_per_element;
  }
}

}  // namespace hone::hlo
