#include "graph/ops/as_operator.h"

namespace hone {
namespace {

const OpEntry& entry_of(const StandardOp& op) {
  const OpEntry* entry = OpTable::instance().find(OpName::intern("", op.name));
  HONE_CHECK(entry != nullptr && entry->version_at(op.opset) != 0, "no definition of {}", op.name);
  return *entry;
}

}  // namespace

std::vector<InferContext::Fact> input_facts(const InferContext& context) {
  std::vector<InferContext::Fact> facts;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    facts.push_back({.type = context.type(i), .constant = context.constant(i), .contents = context.contents(i)});
  return facts;
}

std::vector<InferContext::Fact> infer_as(const InferContext& context, const StandardOp& op,
                                         std::vector<InferContext::Fact> inputs) {
  const OpEntry& entry = entry_of(op);
  InferContext inner(entry, context.node(), entry.version_at(op.opset), std::move(inputs), {});
  entry.infer(inner);
  return {inner.outputs().begin(), inner.outputs().end()};
}

void adopt_inference(InferContext& context, const StandardOp& op) {
  const auto outputs = infer_as(context, op, input_facts(context));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    context.output(i, outputs[i].type);
    if (outputs[i].contents) context.output_contents(i, *outputs[i].contents);
  }
}

std::vector<Datum> evaluate_as(const EvaluateContext& context, const StandardOp& op, std::span<const Datum> inputs) {
  const OpEntry& entry = entry_of(op);
  EvaluateContext inner(entry, context.node(), entry.version_at(op.opset), inputs, {}, 0);
  entry.evaluate(inner);
  return inner.take_outputs();
}

Tensor tensor_as(const EvaluateContext& context, const StandardOp& op, std::span<const Datum> inputs) {
  const std::vector<Datum> outputs = evaluate_as(context, op, inputs);
  if (outputs.empty() || !outputs[0].is_tensor()) context.fail("has no output");
  return outputs[0].tensor();
}

}  // namespace hone
