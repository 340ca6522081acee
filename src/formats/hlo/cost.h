#pragma once

#include <optional>
#include <vector>

#include "formats/hlo/module.h"
#include "plan/problem/workload.h"

namespace hone::hlo {

/// What one run of an instruction or a computation takes.
struct Cost {
  double flops = 0;
  double bytes = 0;  // that cross memory; of a collective, that cross the links of one device
  OperationClass operation_class = OperationClass::movement;  // of several, the one with most flops
};

/// Costs of all instructions of a module, called computations folded into their callers.
///
/// A fusion costs the flops of what is fused and the bytes of its edges; a call, all of its body; a loop, its body and
/// condition as often as they run (once where that cannot be told); a conditional, its dearest branch. Flops follow
/// XLA's own cost analysis: two a multiply-add, one an element of anything elementwise.
class Costs {
 public:
  /// Throws InputError when an attribute needed for a cost cannot be understood.
  explicit Costs(const Module& module);

  const Cost& of(InstructionId id) const { return instructions_[id.index()]; }
  /// Sum over a computation run once.
  const Cost& of(ComputationId id) const { return computations_[id.index()]; }

 private:
  Cost cost_of(const Instruction& instruction);
  Cost total(const Computation& computation) const;
  double edge_bytes(ComputationId fused);

  const Module& module_;
  std::vector<Cost> instructions_;
  std::vector<Cost> computations_;
  std::vector<std::optional<double>> edge_bytes_;  // by computation, when first asked for
};

/// True when the result is its operand under another shape or name: no bytes move.
bool is_view(const Module& module, const Instruction& instruction);

/// Times the body of a loop runs: as XLA noted it or as counting from a constant to a constant gives it; 1 otherwise.
double trip_count(const Module& module, const Instruction& loop);

/// Looks through views to where the value comes from.
InstructionId source_of(const Module& module, InstructionId id);

}  // namespace hone::hlo
