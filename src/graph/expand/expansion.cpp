#include "graph/expand/expansion.h"

#include <algorithm>

namespace hone {

std::int64_t Expansion::opset() const { return model_.opsets.version(""); }

Dims Expansion::dims(std::size_t slot) const {
  Dims dims;
  for (const Dim dim : model_.graph.value(input(slot)).type.shape) dims.push_back(dim.value());
  return dims;
}

ElementType Expansion::element(std::size_t slot) const { return model_.graph.value(input(slot)).type.element; }

const Tensor* Expansion::constant(std::size_t slot) const {
  if (!has_input(slot) || model_.graph.is_input(input(slot))) return nullptr;
  const Value& value = model_.graph.value(input(slot));
  return value.constant ? &*value.constant : nullptr;
}

ValueId Expansion::add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
  return model_.graph.add(OpName::intern("", op), inputs, std::move(attributes), node().name);
}

ValueId Expansion::add(const Tensor& tensor) {
  const ValueId added = model_.graph.add_constant("expanded_" + std::to_string(model_.graph.value_count()), tensor);
  model_.graph.set_type(added, Type::tensor(tensor.type(), tensor.shape()));
  return added;
}

ValueId Expansion::like(std::size_t slot, double value) {
  Tensor tensor = Tensor::zeros(element(slot), {});
  tensor.set_number(0, value);
  return add(tensor);
}

ValueId Expansion::indices(std::size_t rank, std::size_t axis, std::int64_t count) {
  Dims dims(rank, 1);
  dims[axis] = count;
  Tensor tensor = Tensor::zeros(ElementType::int64, dims);
  std::int64_t next = 0;
  for (std::int64_t& element : tensor.write<std::int64_t>()) element = next++;
  return add(tensor);
}

ValueId Expansion::reduced(std::string_view op, ValueId x, const std::vector<std::int64_t>& axes) {
  const bool by_input = opset() >= (op == "ReduceSum" ? 13 : 18);
  if (by_input) return add(op, {x, list_of(axes)}, {{"keepdims", std::int64_t{1}}});
  return add(op, {x}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

ValueId Expansion::cast(ValueId x, ElementType to) { return add("Cast", {x}, {{"to", static_cast<std::int64_t>(to)}}); }

ValueId Expansion::reshaped(ValueId x, const Dims& dims) {
  return add("Reshape", {x, list_of({dims.begin(), dims.end()})});
}

void Expansion::finish() {
  Graph& graph = model_.graph;
  for (std::size_t slot = 0; slot < node().outputs.size(); ++slot) {
    const ValueId output = node().outputs[slot];
    if (!output.valid()) continue;
    const auto found = std::ranges::find(results_, slot, &std::pair<std::size_t, ValueId>::first);
    HONE_CHECK(found != results_.end(), "{} is expanded without its output {}", node().op->text(), slot);
    graph.detach_output(id_, slot);
    graph.add_node(OpName::intern("", "Identity"), std::vector<ValueId>{found->second}, std::vector<ValueId>{output},
                   {}, node().name);
  }
  graph.remove_node(id_);
}

}  // namespace hone
