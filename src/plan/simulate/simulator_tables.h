#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

/// What the simulator needs to know of a workload on a machine, laid out once in the order in which it is read.
///
/// Operations are renumbered by topological position. Buffers that operations produce are renumbered by the position of
/// their producer, then by id, so that the outputs of an operation are neighbours; call that number the rank. A copy of
/// a buffer on a device has a slot; the slots of a buffer are neighbours and ascend with rank, then with device.
/// Weights and inputs (residents) have no slots: they never move.
///
/// Where a plan has groups, FusedTables makes tables in which groups stand in place of operations and only what groups
/// store are buffers. Nothing below knows the difference.
struct SimulatorTables {
  SimulatorTables(const Workload& workload, const Machine& machine);

  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A produced buffer that shares the memory of another one.
  struct AliasEntry {
    std::uint32_t rank = 0;
    std::uint32_t target = kNone;    // rank; none when the target is a resident
    bool producer_reads_it = false;  // so the target lies on the alias's device for sure
  };

  const Workload& workload;
  const Machine& machine;

  /// What is the same in every plan about a produced buffer, in half a cache line.
  struct BufferEntry {
    double bytes = 0;              // as the workload says; what moves
    double transfer_seconds = -1;  // stated, else negative
    std::uint32_t producer = 0;    // position
    std::uint32_t slot_begin = 0;  // the copy on the producer's device, then those received
    std::uint32_t reader_begin = 0, reader_end = 0;
  };

  // By position.
  std::vector<std::uint32_t> operation_at;  // id of the operation, or of the group
  std::vector<std::uint32_t> output_begin;  // first rank; one more entry than operations
  FlatLists<std::uint32_t> inputs;          // ranks of the produced buffers it reads; each element is an edge
  std::vector<double> seconds;              // by position * kinds + kind; of a group where the plan has it only

  // By rank.
  std::vector<std::uint32_t> buffer_at;  // id of the buffer
  std::vector<BufferEntry> buffers;
  std::vector<double> held_bytes;  // whole bytes
  std::vector<std::uint8_t> is_output;
  std::vector<AliasEntry> aliases;  // targets before what aliases them

  // Reads, in the order of the buffers.
  std::vector<std::uint32_t> readers;         // positions; ascending for each buffer
  std::vector<std::uint32_t> edge_of_reader;  // the same read among `inputs`

  std::span<const std::uint32_t> readers_of(std::uint32_t rank) const {
    return {readers.data() + buffers[rank].reader_begin, readers.data() + buffers[rank].reader_end};
  }

  // Residents that are read, those that share memory taken together.
  FlatLists<std::uint32_t> resident_readers;
  std::vector<double> resident_bytes;

  std::vector<std::uint32_t> rank_of_slot;

 private:
  friend class FusedTables;

  /// Tables for the same workload and machine with nothing in them.
  struct Empty {};
  SimulatorTables(const SimulatorTables& like, Empty) : workload(like.workload), machine(like.machine) {}

  /// Takes everything out but keeps the memory.
  void clear();
  std::vector<std::uint32_t> number_operations();
  std::vector<std::uint32_t> number_buffers();
  void link_operations(const std::vector<std::uint32_t>& rank_of);
  void link_buffers();
  void find_aliases(const std::vector<std::uint32_t>& rank_of);
  void find_residents(const std::vector<std::uint32_t>& position_of);
};

}  // namespace hone
