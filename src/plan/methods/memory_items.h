#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_lists.h"
#include "plan/problem/workload.h"

namespace hone {

/// What takes memory while a workload runs, and who uses it: weights and inputs, and what operations make. Buffers that
/// share memory are one item.
class MemoryItems {
 public:
  explicit MemoryItems(const Workload& workload);

  struct Item {
    double bytes = 0;
    OperationId maker;  // none of weights and inputs, which lie throughout wherever they are used
    bool kept = false;  // until the end, where it was made
  };

  std::size_t count() const { return items_.size(); }
  const Item& item(std::uint32_t i) const { return items_[i]; }
  /// Operations that read an item, its maker not among them; distinct.
  std::span<const OperationId> users(std::uint32_t i) const { return users_[i]; }
  /// Items an operation reads, and items it makes.
  std::span<const std::uint32_t> used_by(OperationId operation) const { return used_[operation.index()]; }
  std::span<const std::uint32_t> made_by(OperationId operation) const { return made_[operation.index()]; }

 private:
  std::vector<Item> items_;
  FlatLists<OperationId> users_;
  FlatLists<std::uint32_t> used_, made_;
};

}  // namespace hone
