#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/hlo/module.h"

// Meaning of the attributes hone looks into. Values come as text from a file: what cannot be understood throws
// InputError naming the place.

namespace hone::hlo {

/// `{0,2}` or a bare `3`; empty when the instruction has no such attribute.
std::vector<std::int64_t> integers(const Module& module, const Instruction& instruction, std::string_view key);

/// A single number, `index=3`; `otherwise` when absent.
std::int64_t integer(const Module& module, const Instruction& instruction, std::string_view key,
                     std::int64_t otherwise);

/// One spatial dimension of a convolution's or reduction's window.
struct WindowDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t pad_low = 0;
  std::int64_t pad_high = 0;
  std::int64_t base_dilation = 1;    // lhs_dilate: holes between the elements of the input
  std::int64_t window_dilation = 1;  // rhs_dilate: holes between the elements of the window
};

/// `{size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=... rhs_dilate=...}`; empty for `{}` and for no window.
std::vector<WindowDimension> window(const Module& module, const Instruction& instruction);

/// Which axis of each array plays which part in a convolution: `bf01_oi01->bf01`.
struct ConvolutionLabels {
  std::size_t input_batch = 0, input_feature = 0;
  std::size_t kernel_output_feature = 0, kernel_input_feature = 0;
  std::size_t output_batch = 0, output_feature = 0;
  std::vector<std::size_t> input_spatial, kernel_spatial, output_spatial;
};
std::optional<ConvolutionLabels> convolution_labels(const Module& module, const Instruction& instruction);

/// Devices that take part in one group of a collective; 0 when the text does not say.
std::int64_t group_size(const Module& module, const Instruction& instruction);

/// An entry of `input_output_alias={ {1}: (0, {}, may-alias) }` or of `output_to_operand_aliasing`.
struct AliasPair {
  std::vector<std::int64_t> output_index;
  std::int64_t operand = 0;  // parameter number or operand position
  std::vector<std::int64_t> operand_index;
};
std::vector<AliasPair> alias_pairs(const Module& module, std::string_view value);

/// Iterations XLA found out itself: backend_config={"known_trip_count":{"n":"8"}}.
std::optional<double> known_trip_count(std::string_view backend_config);

}  // namespace hone::hlo
