#include "plan/methods/operation_orders.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

namespace hone {
namespace {

/// Of all ready operations, that which gives back most bytes more than it takes comes next; of equals, that with the
/// most readers.
class ListOrder {
 public:
  explicit ListOrder(const OrderMemory& memory)
      : memory_(memory), missing_(memory.operation_count()), done_(memory.operation_count()) {
    for (std::size_t i = 0; i < memory.holding_count(); ++i) waiting_.push_back(memory.users(i).size());
    for (std::size_t i = 0; i < memory.operation_count(); ++i) {
      missing_[i] = memory.before(OperationId(i)).size();
      if (missing_[i] == 0) offer(OperationId(i));
    }
  }

  std::vector<OperationId> make() {
    std::vector<OperationId> order;
    while (!ready_.empty()) {
      const auto [freed, readers, operation] = ready_.top();
      ready_.pop();
      // An older offer of an operation whose figure has changed since is stale.
      if (done_[operation.index()] || freed != freed_bytes(operation)) continue;
      order.push_back(operation);
      run(operation);
    }
    return order;
  }

 private:
  struct Later {
    bool operator()(const auto& a, const auto& b) const {
      return std::tuple(std::get<0>(a), std::get<1>(a), std::get<2>(b)) <
             std::tuple(std::get<0>(b), std::get<1>(b), std::get<2>(a));
    }
  };
  using Offer = std::tuple<std::int64_t, std::size_t, OperationId>;  // bytes freed, readers, operation

  std::int64_t freed_bytes(OperationId operation) const {
    std::int64_t bytes = 0;
    const auto [first, last] = memory_.made_by(operation);
    for (std::uint32_t i = first; i < last; ++i) bytes -= memory_.holding(i).bytes;
    for (const std::uint32_t i : memory_.used_by(operation))
      if (waiting_[i] == 1 && !memory_.holding(i).kept) bytes += memory_.holding(i).bytes;
    return bytes;
  }

  void offer(OperationId operation) {
    ready_.emplace(freed_bytes(operation), memory_.after(operation).size(), operation);
  }

  void run(OperationId operation) {
    done_[operation.index()] = true;
    for (const std::uint32_t i : memory_.used_by(operation)) {
      if (--waiting_[i] != 1) continue;
      for (const OperationId user : memory_.users(i))
        if (!done_[user.index()] && missing_[user.index()] == 0) offer(user);
    }
    for (const OperationId next : memory_.after(operation))
      if (--missing_[next.index()] == 0) offer(next);
  }

  const OrderMemory& memory_;
  std::vector<std::size_t> waiting_;  // by holding: users to come
  std::vector<std::size_t> missing_;  // by operation: operations it waits for
  std::vector<bool> done_;
  std::priority_queue<Offer, std::vector<Offer>, Later> ready_;
};

/// Operations in post-order from those that nobody reads; what an operation needs is visited in the order of `needs`.
template <class Needs>
std::vector<OperationId> post_order(const OrderMemory& memory, const Needs& needs) {
  struct Visit {
    std::vector<OperationId> needs;
    OperationId operation;
    std::size_t next = 0;
  };
  std::vector<char> seen(memory.operation_count());
  std::vector<OperationId> order;
  std::vector<Visit> open;
  const auto enter = [&](OperationId operation) {
    if (seen[operation.index()] != 0) return;
    seen[operation.index()] = 1;
    open.push_back({needs(operation), operation});
  };
  for (std::size_t i = 0; i < memory.operation_count(); ++i) {
    if (!memory.after(OperationId(i)).empty()) continue;
    for (enter(OperationId(i)); !open.empty();) {
      if (open.back().next < open.back().needs.size()) {
        enter(open.back().needs[open.back().next++]);
        continue;
      }
      order.push_back(open.back().operation);
      open.pop_back();
    }
  }
  return order;
}

std::vector<OperationId> given_needs_order(const OrderMemory& memory) {
  return post_order(memory, [&](OperationId operation) {
    const std::span<const OperationId> needs = memory.before(operation);
    return std::vector<OperationId>(needs.begin(), needs.end());
  });
}

/// What has the most readers too many and then the most bytes, both summed up over all it needs, is visited first.
std::vector<OperationId> depth_first_order(const OrderMemory& memory) {
  std::vector<std::pair<double, double>> weight(memory.operation_count());
  for (const OperationId operation : given_needs_order(memory)) {
    const std::size_t readers = memory.after(operation).size();
    auto& [extra, bytes] = weight[operation.index()];
    extra = readers > 1 ? static_cast<double>(readers - 1) : 0;
    const auto [first, last] = memory.made_by(operation);
    for (std::uint32_t i = first; i < last; ++i) bytes += static_cast<double>(memory.holding(i).bytes);
    for (const OperationId need : memory.before(operation)) {
      extra += weight[need.index()].first;
      bytes += weight[need.index()].second;
    }
  }
  return post_order(memory, [&](OperationId operation) {
    const std::span<const OperationId> before = memory.before(operation);
    std::vector<OperationId> needs(before.begin(), before.end());
    std::ranges::stable_sort(needs, std::greater(), [&](OperationId need) { return weight[need.index()]; });
    return needs;
  });
}

constexpr std::array kRules = {
    OperationOrderRule{"list", [](const OrderMemory& memory) { return ListOrder(memory).make(); }},
    OperationOrderRule{"depth-first", depth_first_order},
    OperationOrderRule{"post-order", given_needs_order},
};

}  // namespace

std::span<const OperationOrderRule> operation_order_rules() { return kRules; }

}  // namespace hone
