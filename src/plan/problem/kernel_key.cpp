#include "plan/problem/kernel_key.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace hone {
namespace {

std::uint64_t mix_real(std::uint64_t hash, double number) { return mix(hash, std::bit_cast<std::uint64_t>(number)); }

std::uint64_t mix_costs(std::uint64_t hash, const Operation& operation) {
  hash = hash_text(operation.op, hash);
  hash = mix(mix(hash, static_cast<std::uint64_t>(operation.operation_class)),
             static_cast<std::uint64_t>(operation.element));
  hash = mix_real(mix_real(hash, operation.flops), operation.bytes);
  hash = mix(hash, static_cast<std::uint64_t>(operation.loop.kind));
  return mix_real(mix_real(mix_real(hash, operation.loop.points), operation.loop.rows), operation.loop.results);
}

}  // namespace

std::uint64_t kernel_key(const Workload& workload, const KernelView& kernel) {
  std::uint64_t hash = kernel.instances.size();
  for (const OperationId id : kernel.instances) {
    const Operation& operation = workload.operation(id);
    hash = mix_costs(hash, operation);
    const std::span<const BufferId> inputs = workload.inputs(id);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Buffer& buffer = workload.buffer(inputs[i]);
      const auto maker = std::ranges::find(kernel.instances, buffer.producer);
      hash = mix(hash, static_cast<std::uint64_t>(operation.loop.reads[i]));
      if (maker != kernel.instances.end())
        hash = mix(hash, static_cast<std::uint64_t>(maker - kernel.instances.begin()));
      else hash = mix_real(mix(hash, kernel.instances.size()), buffer.bytes);
    }
    for (const BufferId output : workload.outputs(id))
      hash = mix(hash, std::ranges::find(kernel.stored, output) != kernel.stored.end() ? 1 : 0);
  }
  return hash;
}

std::uint64_t kernel_key(const Workload& workload, OperationId operation) {
  return kernel_key(workload, {.instances = {&operation, 1}, .stored = workload.outputs(operation)});
}

}  // namespace hone
