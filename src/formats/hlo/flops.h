#pragma once

#include "formats/hlo/module.h"

namespace hone::hlo {

/// Flops of an instruction that calls nothing, or calls a computation for each element of which one run takes
/// `callee_flops`.
double flops_of(const Module& module, const Instruction& instruction, double callee_flops);

/// What a custom call computes, by its target.
enum class CustomCall { opaque, annotation, matmul, convolution_forward, convolution_input, convolution_kernel };
CustomCall custom_call_of(const Module& module, const Instruction& instruction);

}  // namespace hone::hlo
