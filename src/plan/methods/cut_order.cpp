#include "plan/methods/cut_order.h"

#include <algorithm>

namespace hone {
namespace {

class CutOrder {
 public:
  CutOrder(const OrderMemory& memory, std::vector<OperationId> order, CutSide side, std::int64_t goal)
      : memory_(memory), order_(std::move(order)), profile_(memory.profile(order_)), side_(side), goal_(goal) {}

  std::vector<OperationId> make() {
    std::vector<OrderSegment> open = {{0, order_.size()}};
    while (!open.empty()) {
      const OrderSegment segment = open.back();
      open.pop_back();
      if (segment.first == segment.last) continue;
      const std::size_t at = peak_of(segment);
      if (profile_[at] <= goal_) continue;
      const LeastCut cut = least_cut(memory_, order_, segment, at);
      goal_ = std::max(goal_, cut.bytes);  // here it cannot be less, so that nowhere else it need be
      if (cut.bytes >= profile_[at]) continue;
      const std::size_t middle = divide(order_, segment, at, side_ == CutSide::fewest_before ? cut.fewest : cut.most);
      profile_ = memory_.profile(order_);
      open.push_back({segment.first, middle});
      open.push_back({middle + 1, segment.last});
    }
    return std::move(order_);
  }

 private:
  std::size_t peak_of(OrderSegment segment) const {
    const auto begin = profile_.begin();
    return static_cast<std::size_t>(std::max_element(begin + static_cast<std::ptrdiff_t>(segment.first),
                                                     begin + static_cast<std::ptrdiff_t>(segment.last)) -
                                    begin);
  }

  const OrderMemory& memory_;
  std::vector<OperationId> order_;
  std::vector<std::int64_t> profile_;
  CutSide side_;
  std::int64_t goal_;
};

}  // namespace

std::vector<OperationId> order_by_cuts(const OrderMemory& memory, std::vector<OperationId> order, CutSide side,
                                       std::int64_t goal) {
  return CutOrder(memory, std::move(order), side, goal).make();
}

}  // namespace hone
