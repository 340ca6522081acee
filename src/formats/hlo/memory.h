#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "formats/hlo/module.h"

namespace hone::hlo {

/// Position of an instruction in the entry computation.
using Position = std::uint32_t;

/// One array made or given in the entry computation.
struct ArrayValue {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  ShapeId shape;
  Position producer = 0;        // a parameter or constant for those
  std::uint32_t alias = kNone;  // value whose memory it shares
  bool is_output = false;
  std::vector<Position> readers;  // ascending, distinct; only instructions that are operations
};

/// An operation that must run before another although no data says so: it reads what the other overwrites.
struct MemoryOrder {
  Position before = 0;
  Position after = 0;
};

/// The arrays of an entry computation, who reads them and which share memory.
class EntryMemory {
 public:
  /// Throws InputError when an alias the module declares does not exist.
  explicit EntryMemory(const Module& module);

  std::span<const ArrayValue> values() const { return values_; }
  /// Values an instruction's result consists of, as numbers into `values`.
  std::span<const std::uint32_t> leaves_of(Position position) const { return leaves_[position]; }
  std::span<const MemoryOrder> orders() const { return orders_; }

 private:
  /// Values that share memory, and what has to happen before the memory may be written again.
  struct Memory {
    bool is_writable = false;  // made by the computation, or a parameter given away
    bool is_output = false;
    Position last_use = 0;
    std::vector<Position> users;  // since it was last written, the writer included
  };

  const Instruction& instruction(Position position) const {
    return module_.instructions[entry_.instructions.begin + position];
  }
  Position position_of(InstructionId id) const { return id.index() - entry_.instructions.begin; }
  std::span<const std::uint32_t> operand_leaves(Position position, std::size_t operand) const;

  void list_leaves(Position position);
  void note_readers(Position position);
  void prepare_memory();
  void share_views(Position position);
  void share_start(Position position);
  void share_done(Position position);
  void share_updates(Position position);
  void share_outputs_with_parameters();
  void view(std::uint32_t value, std::uint32_t of);
  void overwrite(std::uint32_t value, std::uint32_t victim, Position writer);
  bool reads_result(Position reader, Position producer) const;

  std::uint32_t base_of(std::uint32_t value) const;
  std::uint32_t leaf_at(std::span<const std::uint32_t> leaves, ShapeId shape, std::span<const std::int64_t> index);
  std::span<const std::uint32_t> leaf_offsets(ShapeId tuple);

  const Module& module_;
  const Computation& entry_;
  std::vector<InstructionId> parameters_;
  std::vector<ArrayValue> values_;
  FlatLists<std::uint32_t> leaves_;                       // by position
  std::vector<std::vector<std::uint32_t>> leaf_offsets_;  // by tuple shape: where each element's leaves begin
  std::vector<Memory> memory_;                            // by value; only those of bases count
  std::vector<MemoryOrder> orders_;
};

/// True for instructions that do something and are not just names for arrays.
bool is_operation(const Instruction& instruction);

}  // namespace hone::hlo
