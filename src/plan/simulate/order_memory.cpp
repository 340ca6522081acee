#include "plan/simulate/order_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/distinct.h"
#include "base/error.h"

namespace hone {
namespace {

std::int64_t whole_bytes(const Buffer& buffer) { return static_cast<std::int64_t>(std::ceil(buffer.bytes)); }

/// The buffer in whose memory a buffer lives; none for one in the memory of a weight or input.
BufferId holder_of(const Workload& workload, BufferId buffer) {
  for (;;) {
    const BufferId target = workload.buffer(buffer).alias_of;
    if (!target.valid()) return buffer;
    const std::span<const BufferId> read = workload.inputs(workload.buffer(buffer).producer);
    const bool moves = workload.buffer(target).producer.valid();
    if (!moves && std::ranges::find(read, target) == read.end()) return buffer;
    if (!moves) return {};
    buffer = target;
  }
}

/// The lists, each sorted and without repetition.
template <class T>
FlatLists<T> distinct_lists(std::vector<std::vector<T>> lists) {
  for (std::vector<T>& list : lists) list = distinct(std::move(list));
  return FlatLists<T>(lists);
}

}  // namespace

bool OrderMemory::can_count(const Workload& workload) {
  constexpr double kMostBytes = 0x1.0p59;
  double total = 0;
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) total += std::ceil(workload.buffer(BufferId(i)).bytes);
  return total < kMostBytes;
}

OrderMemory::OrderMemory(const Workload& workload) {
  if (!can_count(workload)) fail("the buffers of '{}' add up to more than 2^59 bytes", workload.name);
  add_residents(workload);
  add_holdings(workload);
  add_neighbours(workload);
}

void OrderMemory::add_residents(const Workload& workload) {
  std::set<BufferId> roots;
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    BufferId root(i);
    if (workload.buffer(root).producer.valid() || workload.readers(root).empty()) continue;
    for (BufferId up = workload.buffer(root).alias_of; up.valid() && !workload.buffer(up).producer.valid();
         up = workload.buffer(up).alias_of)
      root = up;
    if (roots.insert(root).second) resident_bytes_ += whole_bytes(workload.buffer(root));
  }
}

void OrderMemory::add_holdings(const Workload& workload) {
  std::vector<BufferId> holder(workload.buffer_count());
  std::vector<bool> kept(workload.buffer_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const Buffer& buffer = workload.buffer(BufferId(i));
    if (buffer.producer.valid()) holder[i] = holder_of(workload, BufferId(i));
    if (holder[i].valid() && buffer.is_output) kept[holder[i].index()] = true;
  }
  std::vector<std::uint32_t> index_of(workload.buffer_count());
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    for (const BufferId output : workload.outputs(OperationId(i))) {
      if (holder[output.index()] != output) continue;
      index_of[output.index()] = static_cast<std::uint32_t>(holding_count());
      holdings_.add(
          {.bytes = whole_bytes(workload.buffer(output)), .maker = OperationId(i), .kept = kept[output.index()]});
    }
    holdings_.end_list();
  }
  std::vector<std::vector<OperationId>> users(holding_count());
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    if (!holder[i].valid()) continue;
    std::vector<OperationId>& list = users[index_of[holder[i].index()]];
    list.push_back(workload.buffer(BufferId(i)).producer);
    for (const OperationId reader : workload.readers(BufferId(i))) list.push_back(reader);
  }
  users_ = distinct_lists(std::move(users));
  std::vector<std::vector<std::uint32_t>> used(workload.operation_count());
  for (std::uint32_t i = 0; i < holding_count(); ++i)
    for (const OperationId user : this->users(i)) used[user.index()].push_back(i);
  used_ = distinct_lists(std::move(used));
}

void OrderMemory::add_neighbours(const Workload& workload) {
  std::vector<std::vector<OperationId>> before(workload.operation_count()), after(workload.operation_count());
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    for (const BufferId input : workload.inputs(OperationId(i))) {
      const OperationId producer = workload.buffer(input).producer;
      if (!producer.valid()) continue;
      before[i].push_back(producer);
      after[producer.index()].emplace_back(i);
    }
  before_ = distinct_lists(std::move(before));
  after_ = distinct_lists(std::move(after));
}

std::vector<std::int64_t> OrderMemory::profile(std::span<const OperationId> order) const {
  HONE_CHECK(order.size() == operation_count(), "an order of {} operations, not {}", order.size(), operation_count());
  std::vector<std::size_t> waiting(holding_count());
  for (std::size_t i = 0; i < holding_count(); ++i) waiting[i] = users(i).size();
  std::vector<std::int64_t> profile;
  std::int64_t held = resident_bytes_;
  for (const OperationId operation : order) {
    const auto [first, last] = made_by(operation);
    for (std::uint32_t i = first; i < last; ++i) held += holding(i).bytes;
    profile.push_back(held);
    for (const std::uint32_t i : used_by(operation))
      if (--waiting[i] == 0 && !holding(i).kept) held -= holding(i).bytes;
  }
  return profile;
}

std::int64_t OrderMemory::peak_bytes(std::span<const OperationId> order) const {
  const std::vector<std::int64_t> levels = profile(order);
  return levels.empty() ? resident_bytes_ : *std::ranges::max_element(levels);
}

}  // namespace hone
