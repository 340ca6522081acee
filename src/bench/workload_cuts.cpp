#include "bench/workload_cuts.h"

#include <algorithm>
#include <ranges>

namespace hone {
namespace {

/// Copies operations of one workload into another.
class Copier {
 public:
  Copier(const Workload& workload, WorkloadBuilder& builder)
      : workload_(workload), builder_(builder), buffer_of_(workload.buffer_count()) {}

  /// What is not made by `operations` becomes an input, what others read a result.
  void copy(std::span<const OperationId> operations) {
    std::vector<bool> inside(workload_.operation_count());
    for (const OperationId id : operations) inside[id.index()] = true;
    for (const OperationId id : operations) {
      std::vector<BufferId> inputs, outputs;
      for (const BufferId input : workload_.inputs(id)) inputs.push_back(input_of(input));
      for (const BufferId output : workload_.outputs(id)) {
        const bool leaves =
            std::ranges::any_of(workload_.readers(output), [&](OperationId reader) { return !inside[reader.index()]; });
        outputs.push_back(add(output, workload_.buffer(output).is_output || leaves));
      }
      builder_.add_operation(workload_.operation(id), inputs, outputs);
    }
  }

 private:
  BufferId input_of(BufferId id) { return buffer_of_[id.index()].valid() ? buffer_of_[id.index()] : add(id, false); }

  BufferId add(BufferId id, bool is_output) {
    const Buffer& buffer = workload_.buffer(id);
    const bool has_target = buffer.alias_of.valid() && buffer_of_[buffer.alias_of.index()].valid();
    buffer_of_[id.index()] =
        builder_.add_buffer({.name = buffer.name,
                             .bytes = buffer.bytes,
                             .kind = buffer.kind,
                             .is_output = is_output,
                             .alias_of = has_target ? buffer_of_[buffer.alias_of.index()] : BufferId(),
                             .transfer_seconds = buffer.transfer_seconds});
    return buffer_of_[id.index()];
  }

  const Workload& workload_;
  WorkloadBuilder& builder_;
  std::vector<BufferId> buffer_of_;
};

}  // namespace

Workload cut_out(const Workload& workload, std::size_t first, std::size_t count) {
  WorkloadBuilder builder(workload.name);
  builder.set_device_kinds(workload.device_kinds);
  Copier(workload, builder).copy(workload.topological_order().subspan(first, count));
  return std::move(builder).build();
}

Workload tiled(const Workload& workload, std::size_t operations) {
  WorkloadBuilder builder(workload.name);
  builder.set_device_kinds(workload.device_kinds);
  for (std::size_t made = 0; made < operations; made += workload.operation_count()) {
    const std::size_t count = std::min(workload.operation_count(), operations - made);
    Copier(workload, builder).copy(workload.topological_order().first(count));
  }
  return std::move(builder).build();
}

}  // namespace hone
