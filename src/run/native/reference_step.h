#pragma once

#include "graph/ir/model.h"
#include "run/native/program.h"

namespace hone::native {

/// One node by the definition of its operator: for what nothing else has code. It allocates while it runs.
class ReferenceStep final : public Step {
 public:
  struct Operand {
    ArrayPlace place;
    ElementType element = ElementType::float32;
    Dims dims;
    bool is_given = true;  // an omitted input is not
  };

  ReferenceStep(const Model& model, NodeId node, std::vector<Operand> inputs, std::vector<Operand> outputs)
      : model_(model), node_(node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  void run(const RunMemory& memory) const override;
  std::vector<ArrayId> reads() const override { return arrays_of(inputs_); }
  std::vector<ArrayId> writes() const override { return arrays_of(outputs_); }

 private:
  static std::vector<ArrayId> arrays_of(const std::vector<Operand>& operands);

  const Model& model_;
  NodeId node_;
  std::vector<Operand> inputs_, outputs_;
};

}  // namespace hone::native
