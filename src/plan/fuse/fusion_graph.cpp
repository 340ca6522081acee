#include "plan/fuse/fusion_graph.h"

#include <algorithm>
#include <limits>

namespace hone {
namespace {

/// An operation that states its own time is known from outside only.
Loop::Kind kind_of(const Operation& operation) {
  return operation.seconds.empty() ? operation.loop.kind : Loop::Kind::none;
}

/// Why an operation must not be computed by those that read it, as far as it says so itself.
Refusal refusal_to_inline(const Workload& workload, OperationId id) {
  const Loop::Kind kind = kind_of(workload.operation(id));
  if (kind == Loop::Kind::none) return Refusal::no_loop;
  if (kind == Loop::Kind::columns) return Refusal::columns_inside;
  for (const BufferId output : workload.outputs(id)) {
    if (workload.buffer(output).is_output) return Refusal::result;
    if (workload.readers(output).empty()) return Refusal::unread;
  }
  return Refusal::none;
}

FusionGraph::Node node_of(const Workload& workload, OperationId id) {
  const Operation& operation = workload.operation(id);
  return {.kind = kind_of(operation),
          .inlined = refusal_to_inline(workload, id),
          .inputs = static_cast<std::uint32_t>(workload.inputs(id).size()),
          .colocate = operation.colocate,
          .points = operation.loop.points,
          .rows = operation.loop.rows,
          .results = operation.loop.results,
          .element_bytes = static_cast<double>(bit_width(operation.element)) / 8};
}

}  // namespace

std::string_view text_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::none: return "nothing is in the way";
    case Refusal::no_loop: return "is not computed point by point";
    case Refusal::result: return "is a result of the graph, so it is written anyway";
    case Refusal::unread: return "is read by nobody";
    case Refusal::columns_inside:
      return "reduces over other axes than the last: its results are known after the loop only";
    case Refusal::misaligned: return "is read at other places than it is computed";
    case Refusal::other_loop: return "goes through another number of points or rows";
    case Refusal::two_contractions: return "would be the second matrix product or convolution of the kernel";
    case Refusal::contraction_and_reduction: return "would join a reduction with a matrix product or convolution";
    case Refusal::contraction_twice: return "is a matrix product or convolution and would be computed several times";
    case Refusal::scratch: return "needs a row that does not fit into a kernel's fast memory";
    case Refusal::too_many_operations: return "would make the kernel larger than kernels may be";
    case Refusal::too_many_reads: return "would make the kernel read more than kernels may";
    case Refusal::too_many_kernels: return "would be computed in more kernels than it may";
    case Refusal::device: return "must be on the device of other operations";
    case Refusal::cycle: return "would make kernels wait for one another";
    case Refusal::too_far: return "is too far away to tell whether kernels would wait for one another";
  }
  return "";
}

FusionGraph::FusionGraph(const Problem& problem) {
  const Workload& workload = problem.workload;
  limits.scratch_bytes = std::numeric_limits<double>::infinity();
  for (const DeviceKind& kind : problem.machine.kinds)
    limits.scratch_bytes = std::min(limits.scratch_bytes, kind.scratch_bytes);
  position.resize(workload.operation_count());
  for (const OperationId operation : workload.topological_order()) {
    position[operation.index()] = static_cast<std::uint32_t>(order.size());
    order.push_back(operation.index());
  }
  std::vector<std::vector<Read>> readers_of(workload.operation_count());
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const OperationId id(i);
    nodes.push_back(node_of(workload, id));
    const std::span<const BufferId> inputs = workload.inputs(id);
    const std::vector<Access>& reads = workload.operation(id).loop.reads;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const OperationId producer = workload.buffer(inputs[k]).producer;
      if (!producer.valid()) continue;
      const Access access = k < reads.size() ? reads[k] : Access::other;
      producers.add({producer.index(), access});
      readers_of[producer.index()].push_back({static_cast<std::uint32_t>(i), access});
    }
    producers.end_list();
  }
  readers = FlatLists<Read>(readers_of);
}

}  // namespace hone
