#include "plan/methods/memory_items.h"

#include <cmath>
#include <limits>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr std::uint32_t kNoItem = std::numeric_limits<std::uint32_t>::max();

/// The buffer at the end of a chain of aliases.
BufferId root_of(const Workload& workload, BufferId buffer) {
  while (workload.buffer(buffer).alias_of.valid()) buffer = workload.buffer(buffer).alias_of;
  return buffer;
}

}  // namespace

MemoryItems::MemoryItems(const Workload& workload) {
  std::vector<std::uint32_t> item_of(workload.buffer_count(), kNoItem);
  std::vector<std::vector<OperationId>> users;
  std::vector<std::vector<std::uint32_t>> used(workload.operation_count()), made(workload.operation_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const BufferId root = root_of(workload, BufferId(i));
    const Buffer &buffer = workload.buffer(BufferId(i)), &holder = workload.buffer(root);
    const std::span<const OperationId> readers = workload.readers(BufferId(i));
    if (holder.bytes <= 0 || (!holder.producer.valid() && readers.empty())) continue;
    std::uint32_t& item = item_of[root.index()];
    if (item == kNoItem) {
      item = static_cast<std::uint32_t>(items_.size());
      items_.push_back({.bytes = std::ceil(holder.bytes), .maker = holder.producer});
      users.emplace_back();
      if (holder.producer.valid()) made[holder.producer.index()].push_back(item);
    }
    if (buffer.is_output && holder.producer.valid()) items_[item].kept = true;
    if (buffer.producer.valid() && buffer.producer != holder.producer) users[item].push_back(buffer.producer);
    users[item].insert(users[item].end(), readers.begin(), readers.end());
  }
  for (std::uint32_t item = 0; item < users.size(); ++item) {
    users[item] = distinct(std::move(users[item]));
    std::erase(users[item], items_[item].maker);
    for (const OperationId user : users[item]) used[user.index()].push_back(item);
  }
  users_ = FlatLists<OperationId>(users);
  used_ = FlatLists<std::uint32_t>(used);
  made_ = FlatLists<std::uint32_t>(made);
}

}  // namespace hone
