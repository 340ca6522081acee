#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/work_time.h"
#include "core/workload.h"
#include "machine/machine.h"

namespace hone {

/// A list of lists, stored flat.
class FlatLists {
 public:
  void add(std::uint32_t element) { elements_.push_back(element); }
  /// Ends the list that the elements added since the last call belong to.
  void close() { begin_.push_back(static_cast<std::uint32_t>(elements_.size())); }

  std::size_t size() const { return begin_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return {elements_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }

 private:
  std::vector<std::uint32_t> elements_;
  std::vector<std::uint32_t> begin_ = {0};
};

/// What the simulator needs to know of a workload on a machine, laid out once in the order in which it is read.
///
/// Works are renumbered by topological position. Buffers that works produce are renumbered by the position of their
/// producer, then by id, so that the outputs of a work are neighbours; call that number the rank. A copy of a buffer on
/// a device has a slot; the slots of a buffer are neighbours and ascend with rank, then with device. Weights and inputs
/// (residents) have no slots: they never move.
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
  WorkTimes times;

  // By position.
  std::vector<std::uint32_t> work_at;       // id of the work
  std::vector<std::uint32_t> output_begin;  // first rank; one more entry than works
  FlatLists inputs;                         // ranks of the produced buffers it reads
  std::vector<std::uint32_t> input_counts;
  std::vector<double> seconds;  // alone, by position * kinds + kind

  // By rank.
  std::vector<std::uint32_t> buffer_at;  // id of the buffer
  std::vector<std::uint32_t> producer;   // position
  FlatLists readers;                     // positions, ascending
  std::vector<double> bytes;             // whole bytes it holds
  std::vector<double> moved_bytes;       // as the workload says
  std::vector<double> transfer_seconds;  // stated, else negative
  std::vector<std::uint8_t> is_output;
  std::vector<std::uint32_t> slot_begin;  // one more entry than buffers
  std::vector<AliasEntry> aliases;        // targets before what aliases them

  // Residents that are read, those that share memory taken together.
  FlatLists resident_readers;
  std::vector<double> resident_bytes;

  std::vector<std::uint32_t> rank_of_slot;

 private:
  std::vector<std::uint32_t> number_works();
  std::vector<std::uint32_t> number_buffers();
  void link_works(const std::vector<std::uint32_t>& rank_of);
  void link_buffers(const std::vector<std::uint32_t>& position_of);
  void find_aliases(const std::vector<std::uint32_t>& rank_of);
  void find_residents(const std::vector<std::uint32_t>& position_of);
};

}  // namespace hone
