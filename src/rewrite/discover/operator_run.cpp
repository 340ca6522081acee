#include "rewrite/discover/operator_run.h"

#include "graph/ops/evaluate.h"
#include "rewrite/rules/normal_form.h"

namespace hone {

std::vector<Tensor> run_operator(const OpName* op, const NamedTerms& attributes, std::span<const Tensor> operands,
                                 std::size_t outputs) {
  RuleSetting setting;
  setting.opsets.imports = {{"", 17}};
  const std::optional<PlainForm> form =
      plain_form(op, attributes, Type::tensor(operands[0].type(), operands[0].shape()), setting);
  HONE_CHECK(form.has_value(), "{} has no form at opset 17", op->text());
  std::vector<Datum> inputs(operands.begin(), operands.end());
  for (const auto& [slot, tensor] : form->parameters) {
    if (inputs.size() <= slot) inputs.resize(slot + 1);
    inputs[slot] = tensor;
  }
  Node node;
  node.op = op;
  for (std::size_t i = 0; i < inputs.size(); ++i) node.inputs.push_back(inputs[i].empty() ? ValueId() : ValueId(i));
  for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back(ValueId(inputs.size() + i));
  node.attributes = std::make_shared<const Attributes>(form->attributes);
  const Definition definition = definition_of(node, setting.opsets);
  HONE_CHECK(definition.entry != nullptr && definition.entry->evaluate != nullptr, "{} cannot be run", op->text());
  EvaluateContext context(*definition.entry, node, definition.version, inputs, {}, 0);
  definition.entry->evaluate(context);
  std::vector<Tensor> results;
  for (const Datum& output : context.take_outputs()) results.push_back(output.tensor());
  return results;
}

}  // namespace hone
