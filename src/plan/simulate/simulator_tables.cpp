#include "plan/simulate/simulator_tables.h"

#include <algorithm>
#include <cmath>

#include "plan/problem/operation_time.h"

namespace hone {

SimulatorTables::SimulatorTables(const Workload& the_workload, const Machine& the_machine)
    : workload(the_workload), machine(the_machine) {
  const std::vector<std::uint32_t> position_of = number_operations();
  const std::vector<std::uint32_t> rank_of = number_buffers();
  link_operations(rank_of);
  link_buffers();
  find_aliases(rank_of);
  find_residents(position_of);
}

void SimulatorTables::clear() {
  operation_at.clear();
  output_begin.clear();
  inputs.clear();
  seconds.clear();
  buffer_at.clear();
  buffers.clear();
  held_bytes.clear();
  is_output.clear();
  aliases.clear();
  readers.clear();
  edge_of_reader.clear();
  resident_readers.clear();
  resident_bytes.clear();
  rank_of_slot.clear();
}

std::vector<std::uint32_t> SimulatorTables::number_operations() {
  const OperationTimes times(workload, machine);
  std::vector<std::uint32_t> position_of(workload.operation_count());
  for (const OperationId operation : workload.topological_order()) {
    position_of[operation.index()] = static_cast<std::uint32_t>(operation_at.size());
    operation_at.push_back(operation.index());
    for (std::size_t kind = 0; kind < machine.kinds.size(); ++kind)
      seconds.push_back(times.at(operation, kind).alone(workload.operation(operation).bytes));
  }
  return position_of;
}

std::vector<std::uint32_t> SimulatorTables::number_buffers() {
  std::vector<std::uint32_t> rank_of(workload.buffer_count(), kNone);
  output_begin.push_back(0);
  for (std::uint32_t position = 0; position < operation_at.size(); ++position) {
    const std::span<const BufferId> outputs = workload.outputs(OperationId(operation_at[position]));
    std::vector<BufferId> ascending(outputs.begin(), outputs.end());
    std::ranges::sort(ascending);
    for (const BufferId id : ascending) {
      rank_of[id.index()] = static_cast<std::uint32_t>(buffer_at.size());
      buffer_at.push_back(id.index());
      const Buffer& buffer = workload.buffer(id);
      buffers.push_back({.bytes = buffer.bytes, .transfer_seconds = buffer.transfer_seconds, .producer = position});
      held_bytes.push_back(std::ceil(buffer.bytes));
      is_output.push_back(buffer.is_output ? 1 : 0);
    }
    output_begin.push_back(static_cast<std::uint32_t>(buffer_at.size()));
  }
  return rank_of;
}

void SimulatorTables::link_operations(const std::vector<std::uint32_t>& rank_of) {
  for (const std::uint32_t operation : operation_at) {
    for (const BufferId input : workload.inputs(OperationId(operation)))
      if (rank_of[input.index()] != kNone) inputs.add(rank_of[input.index()]);
    inputs.end_list();
  }
}

/// Turns the lists of inputs around: walking the operations in order meets the readers of every buffer in ascending
/// order.
void SimulatorTables::link_buffers() {
  for (std::uint32_t position = 0; position < operation_at.size(); ++position)
    for (const std::uint32_t rank : inputs[position]) ++buffers[rank].reader_end;
  std::uint32_t reads = 0, slots = 0;
  const auto most_received = static_cast<std::uint32_t>(machine.device_count() - 1);
  rank_of_slot.resize(buffers.size() + inputs.items().size());
  for (std::uint32_t rank = 0; rank < buffers.size(); ++rank) {
    BufferEntry& buffer = buffers[rank];
    const std::uint32_t count = buffer.reader_end;
    buffer.slot_begin = slots;
    for (std::uint32_t i = 0; i <= std::min(count, most_received); ++i) rank_of_slot[slots++] = rank;
    buffer.reader_begin = buffer.reader_end = reads;
    reads += count;
  }
  rank_of_slot.resize(slots);
  readers.resize(reads);
  edge_of_reader.resize(reads);
  std::uint32_t edge = 0;
  for (std::uint32_t position = 0; position < operation_at.size(); ++position) {
    for (const std::uint32_t rank : inputs[position]) {
      const std::uint32_t at = buffers[rank].reader_end++;
      readers[at] = position;
      edge_of_reader[at] = edge++;
    }
  }
}

void SimulatorTables::find_aliases(const std::vector<std::uint32_t>& rank_of) {
  std::vector<std::pair<std::size_t, AliasEntry>> by_depth;
  for (std::uint32_t rank = 0; rank < buffer_at.size(); ++rank) {
    const Buffer& buffer = workload.buffer(BufferId(buffer_at[rank]));
    if (!buffer.alias_of.valid()) continue;
    const std::span<const BufferId> read = workload.inputs(buffer.producer);
    const bool reads_it = std::ranges::find(read, buffer.alias_of) != read.end();
    std::size_t depth = 0;
    for (BufferId at = buffer.alias_of; at.valid(); at = workload.buffer(at).alias_of) ++depth;
    by_depth.push_back({depth, {rank, rank_of[buffer.alias_of.index()], reads_it}});
  }
  std::ranges::stable_sort(by_depth, {}, [](const auto& entry) { return entry.first; });
  for (const auto& entry : by_depth) aliases.push_back(entry.second);
}

void SimulatorTables::find_residents(const std::vector<std::uint32_t>& position_of) {
  std::vector<std::vector<std::uint32_t>> readers_of_root(workload.buffer_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    BufferId root(i);
    if (workload.buffer(root).producer.valid()) continue;
    for (BufferId up = workload.buffer(root).alias_of; up.valid() && !workload.buffer(up).producer.valid();
         up = workload.buffer(up).alias_of)
      root = up;
    for (const OperationId reader : workload.readers(BufferId(i)))
      readers_of_root[root.index()].push_back(position_of[reader.index()]);
  }
  for (std::size_t i = 0; i < readers_of_root.size(); ++i) {
    if (readers_of_root[i].empty()) continue;
    for (const std::uint32_t reader : readers_of_root[i]) resident_readers.add(reader);
    resident_readers.end_list();
    resident_bytes.push_back(std::ceil(workload.buffer(BufferId(i)).bytes));
  }
}

}  // namespace hone
