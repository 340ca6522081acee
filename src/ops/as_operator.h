#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/evaluate_context.h"
#include "ops/infer_context.h"

// Fused and quantised variants mean what an operator of ONNX's own means, with something before or after it. These run
// that operator's definition on the variant's node, whose attributes have the same names.

namespace hone {

/// The definition that an operator of ONNX's own domain has under an opset.
struct Definition {
  std::string_view op;
  int opset = 1;
};

/// What is known of the node's inputs, to be handed on as it is or changed.
std::vector<InferContext::Fact> input_facts(const InferContext& context);

/// Types of the definition's outputs for the given inputs.
std::vector<InferContext::Fact> infer_as(const InferContext& context, const Definition& definition,
                                         std::vector<InferContext::Fact> inputs);

/// The node has the types the definition gives for its own inputs.
void adopt_inference(InferContext& context, const Definition& definition);

/// The definition's outputs for the given inputs.
std::vector<Datum> evaluate_as(const EvaluateContext& context, const Definition& definition,
                               std::span<const Datum> inputs);

/// The first output of the definition, which must be a tensor.
Tensor tensor_as(const EvaluateContext& context, const Definition& definition, std::span<const Datum> inputs);

}  // namespace hone
