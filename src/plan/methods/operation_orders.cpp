#include "plan/methods/operation_orders.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

namespace hone {
namespace {

/// Of all ready works, that which gives back most bytes more than it takes comes next; of equals, that with the most
/// readers.
class ListOrder {
 public:
  explicit ListOrder(const OrderMemory& memory)
      : memory_(memory), missing_(memory.work_count()), done_(memory.work_count()) {
    for (std::size_t i = 0; i < memory.holding_count(); ++i) waiting_.push_back(memory.users(i).size());
    for (std::size_t i = 0; i < memory.work_count(); ++i) {
      missing_[i] = memory.before(WorkId(i)).size();
      if (missing_[i] == 0) offer(WorkId(i));
    }
  }

  std::vector<WorkId> make() {
    std::vector<WorkId> order;
    while (!ready_.empty()) {
      const auto [freed, readers, work] = ready_.top();
      ready_.pop();
      // An older offer of a work whose figure has changed since is stale.
      if (done_[work.index()] || freed != freed_bytes(work)) continue;
      order.push_back(work);
      run(work);
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
  using Offer = std::tuple<std::int64_t, std::size_t, WorkId>;  // bytes freed, readers, work

  std::int64_t freed_bytes(WorkId work) const {
    std::int64_t bytes = 0;
    const auto [first, last] = memory_.made_by(work);
    for (std::uint32_t i = first; i < last; ++i) bytes -= memory_.holding(i).bytes;
    for (const std::uint32_t i : memory_.used_by(work))
      if (waiting_[i] == 1 && !memory_.holding(i).kept) bytes += memory_.holding(i).bytes;
    return bytes;
  }

  void offer(WorkId work) { ready_.emplace(freed_bytes(work), memory_.after(work).size(), work); }

  void run(WorkId work) {
    done_[work.index()] = true;
    for (const std::uint32_t i : memory_.used_by(work)) {
      if (--waiting_[i] != 1) continue;
      for (const WorkId user : memory_.users(i))
        if (!done_[user.index()] && missing_[user.index()] == 0) offer(user);
    }
    for (const WorkId next : memory_.after(work))
      if (--missing_[next.index()] == 0) offer(next);
  }

  const OrderMemory& memory_;
  std::vector<std::size_t> waiting_;  // by holding: users to come
  std::vector<std::size_t> missing_;  // by work: works it waits for
  std::vector<bool> done_;
  std::priority_queue<Offer, std::vector<Offer>, Later> ready_;
};

/// Works in post-order from those that nobody reads; what a work needs is visited in the order of `needs`.
template <class Needs>
std::vector<WorkId> post_order(const OrderMemory& memory, const Needs& needs) {
  struct Visit {
    std::vector<WorkId> needs;
    WorkId work;
    std::size_t next = 0;
  };
  std::vector<char> seen(memory.work_count());
  std::vector<WorkId> order;
  std::vector<Visit> open;
  const auto enter = [&](WorkId work) {
    if (seen[work.index()] != 0) return;
    seen[work.index()] = 1;
    open.push_back({needs(work), work});
  };
  for (std::size_t i = 0; i < memory.work_count(); ++i) {
    if (!memory.after(WorkId(i)).empty()) continue;
    for (enter(WorkId(i)); !open.empty();) {
      if (open.back().next < open.back().needs.size()) {
        enter(open.back().needs[open.back().next++]);
        continue;
      }
      order.push_back(open.back().work);
      open.pop_back();
    }
  }
  return order;
}

std::vector<WorkId> given_needs_order(const OrderMemory& memory) {
  return post_order(memory, [&](WorkId work) {
    const std::span<const WorkId> needs = memory.before(work);
    return std::vector<WorkId>(needs.begin(), needs.end());
  });
}

/// What has the most readers too many and then the most bytes, both summed up over all it needs, is visited first.
std::vector<WorkId> depth_first_order(const OrderMemory& memory) {
  std::vector<std::pair<double, double>> weight(memory.work_count());
  for (const WorkId work : given_needs_order(memory)) {
    const std::size_t readers = memory.after(work).size();
    auto& [extra, bytes] = weight[work.index()];
    extra = readers > 1 ? static_cast<double>(readers - 1) : 0;
    const auto [first, last] = memory.made_by(work);
    for (std::uint32_t i = first; i < last; ++i) bytes += static_cast<double>(memory.holding(i).bytes);
    for (const WorkId need : memory.before(work)) {
      extra += weight[need.index()].first;
      bytes += weight[need.index()].second;
    }
  }
  return post_order(memory, [&](WorkId work) {
    const std::span<const WorkId> before = memory.before(work);
    std::vector<WorkId> needs(before.begin(), before.end());
    std::ranges::stable_sort(needs, std::greater(), [&](WorkId need) { return weight[need.index()]; });
    return needs;
  });
}

constexpr std::array kRules = {
    WorkOrderRule{"list", [](const OrderMemory& memory) { return ListOrder(memory).make(); }},
    WorkOrderRule{"depth-first", depth_first_order},
    WorkOrderRule{"post-order", given_needs_order},
};

}  // namespace

std::span<const WorkOrderRule> work_order_rules() { return kRules; }

}  // namespace hone
