#include "plan/methods/window_order.h"

#include <algorithm>

#include "plan/methods/exact_order.h"

namespace hone {
namespace {

constexpr std::size_t kSmallest = 16, kLargest = 256;  // operations of a window
constexpr std::size_t kStatesOfWindow = 5000;

class WindowOrder {
 public:
  WindowOrder(const OrderMemory& memory, std::vector<OperationId> order, std::int64_t goal, std::size_t states)
      : memory_(memory), order_(std::move(order)), goal_(goal), states_left_(states) {}

  std::vector<OperationId> make() {
    while (improve()) {
    }
    return std::move(order_);
  }

 private:
  /// One window that is better than before: small ones first, with the peak at their end, in the middle, at their
  /// begin.
  bool improve() {
    const std::vector<std::int64_t> profile = memory_.profile(order_);
    const auto peak = std::ranges::max_element(profile);
    if (peak == profile.end() || *peak <= goal_) return false;
    const auto at = static_cast<std::size_t>(peak - profile.begin());
    for (std::size_t size = kSmallest; size <= kLargest; size *= 2) {
      for (const std::size_t before : {size - size / 8, size / 2, size / 8}) {
        const std::size_t first = at - std::min(at, before);
        const OrderSegment window{first, std::min(order_.size(), first + size)};
        if (improve(window, *peak)) return true;
        if (states_left_ == 0) return false;
      }
      if (size >= order_.size()) break;
    }
    return false;
  }

  bool improve(OrderSegment window, std::int64_t peak) {
    const ExactOrder found = exact_order(
        memory_, order_, window, {.floor = goal_, .ceiling = peak, .states = std::min(kStatesOfWindow, states_left_)});
    states_left_ -= std::min(states_left_, found.states);
    std::ranges::copy(found.operations, order_.begin() + static_cast<std::ptrdiff_t>(window.first));
    return !found.operations.empty();
  }

  const OrderMemory& memory_;
  std::vector<OperationId> order_;
  std::int64_t goal_;
  std::size_t states_left_;
};

}  // namespace

std::vector<OperationId> order_by_windows(const OrderMemory& memory, std::vector<OperationId> order, std::int64_t goal,
                                          std::size_t states) {
  return WindowOrder(memory, std::move(order), goal, states).make();
}

}  // namespace hone
