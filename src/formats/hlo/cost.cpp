#include "formats/hlo/cost.h"

#include <algorithm>
#include <array>

#include "formats/hlo/flops.h"
#include "formats/hlo/traffic.h"
#include "formats/hlo/verify.h"

namespace hone::hlo {
namespace {

constexpr std::size_t kClasses = static_cast<std::size_t>(OperationClass::opaque) + 1;

/// Row-major, or not said.
bool has_default_layout(const Shape& shape) {
  std::int64_t axis = static_cast<std::int64_t>(shape.rank());
  for (const char c : shape.layout) {
    if (c == ':') break;  // tiles and memory space follow
    if (c < '0' || c > '9') continue;
    if (c - '0' != --axis) return false;
  }
  return true;
}

OperationClass class_of(const Module& module, const Instruction& instruction) {
  if (is_view(module, instruction)) return OperationClass::view;
  switch (instruction.kind()) {
    case OpKind::parameter:
    case OpKind::constant:
    case OpKind::tuple:
    case OpKind::element_of_tuple:
    case OpKind::token: return OperationClass::view;
    case OpKind::elementwise:
    case OpKind::map: return OperationClass::pointwise;
    case OpKind::reduce:
    case OpKind::reduce_window:
    case OpKind::select_and_scatter:
    case OpKind::batch_norm:
    case OpKind::sort: return OperationClass::reduction;
    case OpKind::dot:
    case OpKind::cholesky:
    case OpKind::triangular_solve: return OperationClass::matmul;
    case OpKind::convolution: return OperationClass::convolution;
    case OpKind::collective:
    case OpKind::collective_start: return OperationClass::collective;
    case OpKind::unknown:
    case OpKind::fft:
    case OpKind::exchange: return OperationClass::opaque;
    case OpKind::custom_call:
      switch (custom_call_of(module, instruction)) {
        case CustomCall::opaque:
        case CustomCall::annotation: return OperationClass::opaque;
        case CustomCall::matmul: return OperationClass::matmul;
        default: return OperationClass::convolution;
      }
    default: return OperationClass::movement;
  }
}

}  // namespace

bool is_view(const Module& module, const Instruction& instruction) {
  switch (instruction.kind()) {
    case OpKind::bitcast:
    case OpKind::forward:
    case OpKind::async_update:
    case OpKind::async_done: return true;
    case OpKind::reshape:
      return has_default_layout(module.shape(instruction.shape)) &&
             has_default_layout(module.shape_of(module.operands(instruction)[0]));
    case OpKind::custom_call:
      return instruction.operands.count == 1 && custom_call_of(module, instruction) == CustomCall::annotation;
    default: return false;
  }
}

InstructionId source_of(const Module& module, InstructionId id) {
  while (is_view(module, module.instruction(id))) id = module.operands(module.instruction(id))[0];
  return id;
}

Costs::Costs(const Module& module)
    : module_(module),
      instructions_(module.instructions.size()),
      computations_(module.computations.size()),
      edge_bytes_(module.computations.size()) {
  for (const ComputationId id : callees_first(module)) {
    const Computation& computation = module.computation(id);
    for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
      const std::uint32_t at = computation.instructions.begin + i;
      instructions_[at] = cost_of(module.instructions[at]);
    }
    computations_[id.index()] = total(computation);
  }
}

Cost Costs::total(const Computation& computation) const {
  Cost sum;
  std::array<double, kClasses> flops{}, bytes{};
  for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
    const Cost& one = instructions_[computation.instructions.begin + i];
    sum.flops += one.flops;
    sum.bytes += one.bytes;
    flops[static_cast<std::size_t>(one.operation_class)] += one.flops;
    bytes[static_cast<std::size_t>(one.operation_class)] += one.bytes;
  }
  const auto& shares = sum.flops > 0 ? flops : bytes;
  const auto largest = std::ranges::max_element(shares);
  if (*largest > 0) sum.operation_class = static_cast<OperationClass>(largest - shares.begin());
  return sum;
}

double Costs::edge_bytes(ComputationId fused) {
  std::optional<double>& known = edge_bytes_[fused.index()];
  if (!known) known = fused_bytes(module_, module_.computation(fused));
  return *known;
}

Cost Costs::cost_of(const Instruction& instruction) {
  const auto callee = [&](std::string_view role) { return module_.callee(instruction, role); };
  switch (instruction.kind()) {
    case OpKind::fusion: {
      Cost cost = of(callee("calls"));
      cost.bytes = edge_bytes(callee("calls"));
      return cost;
    }
    case OpKind::call: return of(callee("to_apply"));
    case OpKind::async_start:
      if (callee("calls").valid()) return of(callee("calls"));
      break;
    case OpKind::while_loop: {
      const double trips = trip_count(module_, instruction);
      Cost cost = of(callee("body"));
      cost.flops = trips * (cost.flops + of(callee("condition")).flops);
      cost.bytes = trips * (cost.bytes + of(callee("condition")).bytes);
      return cost;
    }
    case OpKind::conditional: {
      Cost dearest;
      for (const Callee& branch : module_.callees(instruction)) {
        const Cost& cost = of(branch.computation);
        if (cost.flops >= dearest.flops) dearest.operation_class = cost.operation_class;
        dearest.flops = std::max(dearest.flops, cost.flops);
        dearest.bytes = std::max(dearest.bytes, cost.bytes);
      }
      return dearest;
    }
    default: break;
  }
  const ComputationId applied = callee("to_apply");
  return {.flops = flops_of(module_, instruction, applied.valid() ? of(applied).flops : 0),
          .bytes = bytes_of(module_, instruction),
          .operation_class = class_of(module_, instruction)};
}

}  // namespace hone::hlo
