#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/workload.h"

namespace hone {

/// The memory that an order of all operations takes when it runs operation by operation on one device, by the rules of
/// the simulator.
///
/// Buffers that share memory are one holding. It is taken when the operation that makes it starts and given back when
/// the last of its users has ended, or never.
class OrderMemory {
 public:
  /// Whether the bytes of all buffers can be added up.
  static bool can_count(const Workload& workload);
  /// Throws InputError for what cannot be counted.
  explicit OrderMemory(const Workload& workload);

  struct Holding {
    std::int64_t bytes = 0;
    OperationId maker;
    bool kept = false;  // until the end
  };

  std::size_t operation_count() const { return holdings_.size(); }
  std::size_t holding_count() const { return holdings_.items().size(); }
  const Holding& holding(std::size_t i) const { return holdings_.items()[i]; }
  /// Holdings an operation makes, one after another.
  std::pair<std::uint32_t, std::uint32_t> made_by(OperationId operation) const {
    return {holdings_.begin_of(operation.index()), holdings_.begin_of(operation.index() + 1)};
  }
  /// Operations that must have ended before a holding can be given back, its maker among them; distinct.
  std::span<const OperationId> users(std::size_t holding) const { return users_[holding]; }
  /// Holdings that wait for an operation to end.
  std::span<const std::uint32_t> used_by(OperationId operation) const { return used_[operation.index()]; }
  /// Operations whose results an operation reads, and operations that read its results; distinct.
  std::span<const OperationId> before(OperationId operation) const { return before_[operation.index()]; }
  std::span<const OperationId> after(OperationId operation) const { return after_[operation.index()]; }

  /// Weights and inputs, which are held all the time and count everywhere below.
  std::int64_t resident_bytes() const { return resident_bytes_; }

  /// Bytes held while the operation at each position of an order runs.
  std::vector<std::int64_t> profile(std::span<const OperationId> order) const;
  std::int64_t peak_bytes(std::span<const OperationId> order) const;

 private:
  void add_residents(const Workload& workload);
  void add_holdings(const Workload& workload);
  void add_neighbours(const Workload& workload);

  FlatLists<Holding> holdings_;  // by maker
  FlatLists<OperationId> users_, before_, after_;
  FlatLists<std::uint32_t> used_;
  std::int64_t resident_bytes_ = 0;
};

}  // namespace hone
