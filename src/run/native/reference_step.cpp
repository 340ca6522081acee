#include "run/native/reference_step.h"

#include <algorithm>
#include <cstring>

#include "run/reference/reference.h"

namespace hone::native {

std::vector<ArrayId> ReferenceStep::arrays_of(const std::vector<Operand>& operands) {
  std::vector<ArrayId> arrays;
  for (const Operand& operand : operands)
    if (operand.is_given) arrays.push_back(operand.place.array);
  return arrays;
}

void ReferenceStep::run(const RunMemory& memory) const {
  std::vector<Datum> inputs;
  for (const Operand& operand : inputs_) {
    if (!operand.is_given) {
      inputs.emplace_back();
      continue;
    }
    Tensor tensor = Tensor::zeros(operand.element, operand.dims);
    std::memcpy(tensor.write_bytes().data(), memory.at(operand.place), tensor.bytes().size());
    inputs.emplace_back(std::move(tensor));
  }
  const std::vector<Datum> results = run_node(model_, node_, inputs);
  for (std::size_t i = 0; i < outputs_.size() && i < results.size(); ++i) {
    if (!outputs_[i].is_given) continue;
    const Tensor& result = results[i].tensor();
    if (!(result.dims() == outputs_[i].dims)) fail("{}: a result has another shape than was inferred", name);
    std::memcpy(memory.at(outputs_[i].place), result.bytes().data(), result.bytes().size());
  }
}

}  // namespace hone::native
