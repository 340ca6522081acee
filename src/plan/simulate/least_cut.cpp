#include "plan/simulate/least_cut.h"

#include <algorithm>

#include "plan/simulate/max_flow.h"

namespace hone {
namespace {

constexpr std::uint32_t kSource = 0, kSink = 1, kFirstFree = 2;  // nodes of the network

/// The network for one operation.
class CutNetwork {
 public:
  CutNetwork(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment, std::size_t at)
      : memory_(memory), order_(order), segment_(segment), chosen_(order[at]), node_of_(order.size(), kSource) {
    number_operations(at);
    flow_ = MaxFlow(free_end_ + memory.holding_count());
    for (std::size_t position = segment.first; position < segment.last; ++position) add_needs(order[position]);
    for (std::size_t i = 0; i < memory.holding_count(); ++i) add_holding(i);
  }

  LeastCut solve() {
    LeastCut cut;
    cut.bytes = paid_ + flow_.solve(kSource, kSink);
    cut.fewest = within_segment(flow_.source_side());
    cut.most = within_segment(flow_.off_sink_side());
    return cut;
  }

 private:
  /// What the operation needs comes before it, what needs the operation after; the rest of the segment chooses.
  void number_operations(std::size_t at) {
    constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
    for (std::size_t position = segment_.first; position < order_.size(); ++position)
      node_of_[order_[position].index()] = position < segment_.last ? kUnknown : kSink;
    node_of_[chosen_.index()] = kSink;
    for (const OperationId need : memory_.before(chosen_)) node_of_[need.index()] = kSource;
    for (std::size_t position = at; position-- > segment_.first;)
      if (node_of_[order_[position].index()] == kSource)
        for (const OperationId need : memory_.before(order_[position])) node_of_[need.index()] = kSource;
    for (std::size_t position = at; position < segment_.last; ++position)
      if (node_of_[order_[position].index()] == kSink)
        for (const OperationId next : memory_.after(order_[position])) node_of_[next.index()] = kSink;
    for (std::size_t position = segment_.first; position < segment_.last; ++position) {
      std::uint32_t& node = node_of_[order_[position].index()];
      if (node == kUnknown) node = free_end_++;
    }
  }

  void add_needs(OperationId operation) {
    const std::uint32_t node = node_of_[operation.index()];
    if (node < kFirstFree) return;
    for (const OperationId need : memory_.before(operation))
      if (node_of_[need.index()] >= kFirstFree) flow_.add_edge(node, node_of_[need.index()], MaxFlow::kUnlimited);
  }

  void add_holding(std::size_t i) {
    const OrderMemory::Holding& holding = memory_.holding(i);
    const std::uint32_t maker = node_of_[holding.maker.index()];
    if (holding.maker == chosen_) paid_ += holding.bytes;
    if (maker == kSink || holding.bytes == 0) return;
    std::size_t undecided = 0;
    bool needed = holding.kept;
    for (const OperationId user : memory_.users(i)) {
      const std::uint32_t node = node_of_[user.index()];
      needed |= node == kSink;
      undecided += node >= kFirstFree && node != maker ? 1 : 0;
    }
    if (needed && maker == kSource) paid_ += holding.bytes;
    else if (needed) flow_.add_edge(maker, kSink, holding.bytes);
    else if (undecided > 0) {
      const auto gate = static_cast<std::uint32_t>(free_end_ + i);
      flow_.add_edge(maker, gate, holding.bytes);
      for (const OperationId user : memory_.users(i))
        if (const std::uint32_t node = node_of_[user.index()]; node >= kFirstFree && node != maker)
          flow_.add_edge(gate, node, MaxFlow::kUnlimited);
    }
  }

  std::vector<char> within_segment(const std::vector<char>& side) const {
    std::vector<char> before;
    for (std::size_t position = segment_.first; position < segment_.last; ++position) {
      const std::uint32_t node = node_of_[order_[position].index()];
      before.push_back(node == kSource || (node >= kFirstFree && side[node] != 0) ? 1 : 0);
    }
    return before;
  }

  const OrderMemory& memory_;
  std::span<const OperationId> order_;
  OrderSegment segment_;
  OperationId chosen_;
  std::vector<std::uint32_t> node_of_;  // by operation
  std::uint32_t free_end_ = kFirstFree;
  MaxFlow flow_{0};
  std::int64_t paid_ = 0;  // whatever is chosen
};

}  // namespace

LeastCut least_cut(const OrderMemory& memory, std::span<const OperationId> order, OrderSegment segment,
                   std::size_t at) {
  LeastCut cut = CutNetwork(memory, order, segment, at).solve();
  cut.bytes += memory.resident_bytes();
  return cut;
}

std::size_t divide(std::vector<OperationId>& order, OrderSegment segment, std::size_t at,
                   const std::vector<char>& before) {
  std::vector<OperationId> front, back;
  for (std::size_t position = segment.first; position < segment.last; ++position) {
    if (position == at) continue;
    (before[position - segment.first] != 0 ? front : back).push_back(order[position]);
  }
  const std::size_t middle = segment.first + front.size();
  front.push_back(order[at]);
  front.insert(front.end(), back.begin(), back.end());
  std::ranges::copy(front, order.begin() + static_cast<std::ptrdiff_t>(segment.first));
  return middle;
}

std::int64_t least_peak_bytes(const OrderMemory& memory, std::span<const OperationId> order, std::size_t cuts) {
  std::vector<OperationId> current(order.begin(), order.end());
  std::vector<char> known(order.size());
  std::int64_t bound = memory.resident_bytes();
  for (std::size_t i = 0; i < std::min(cuts, order.size()); ++i) {
    const std::vector<std::int64_t> profile = memory.profile(current);
    std::size_t at = order.size();
    for (std::size_t position = 0; position < profile.size(); ++position)
      if (known[current[position].index()] == 0 && (at == order.size() || profile[position] > profile[at]))
        at = position;
    if (profile[at] <= bound) break;
    known[current[at].index()] = 1;
    const LeastCut cut = least_cut(memory, current, {0, order.size()}, at);
    bound = std::max(bound, cut.bytes);
    if (cut.bytes < profile[at]) divide(current, {0, order.size()}, at, cut.fewest);
  }
  return bound;
}

}  // namespace hone
