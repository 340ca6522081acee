#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/ops/evaluate_context.h"
#include "graph/ops/infer_context.h"

// Fused and quantised variants mean what an operator of ONNX's own means, with something before or after it. These run
// that operator's definition on the variant's node, whose attributes have the same names.

namespace hone {

/// An operator of ONNX's own domain as an opset defines it.
struct StandardOp {
  std::string_view name;
  int opset = 1;
};

/// What is known of the node's inputs, to be handed on as it is or changed.
std::vector<InferContext::Fact> input_facts(const InferContext& context);

/// Types of the operator's outputs for the given inputs.
std::vector<InferContext::Fact> infer_as(const InferContext& context, const StandardOp& op,
                                         std::vector<InferContext::Fact> inputs);

/// The node has the types the operator gives for its own inputs.
void adopt_inference(InferContext& context, const StandardOp& op);

/// The operator's outputs for the given inputs.
std::vector<Datum> evaluate_as(const EvaluateContext& context, const StandardOp& op, std::span<const Datum> inputs);

/// The first output of the operator, which must be a tensor.
Tensor tensor_as(const EvaluateContext& context, const StandardOp& op, std::span<const Datum> inputs);

}  // namespace hone
