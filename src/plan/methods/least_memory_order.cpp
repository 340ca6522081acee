#include "plan/methods/least_memory_order.h"

#include "plan/methods/cut_order.h"
#include "plan/methods/operation_orders.h"

namespace hone {
namespace {

constexpr std::size_t kCutsAtFirst = 8, kCutsAtLast = 256;  // for the bound; few say nearly as much as many

class OrderSearch {
 public:
  OrderSearch(const OrderMemory& memory, std::span<const OperationId> given) : memory_(memory) {
    starts_.emplace_back(given.begin(), given.end());
    for (const OperationOrderRule& rule : operation_order_rules()) starts_.push_back(rule.make(memory));
    best_ = {.order = starts_.front(), .peak_bytes = memory.peak_bytes(given)};
    for (const std::vector<OperationId>& start : starts_) keep(start);
  }

  OrderOutcome run() {
    best_.bound_bytes = least_peak_bytes(memory_, best_.order, kCutsAtFirst);
    for (const std::vector<OperationId>& start : starts_)
      for (const CutSide side : {CutSide::fewest_before, CutSide::most_before})
        if (best_.peak_bytes > best_.bound_bytes) improve(start, side);
    best_.bound_bytes = std::max(best_.bound_bytes, least_peak_bytes(memory_, best_.order, kCutsAtLast));
    return best_;
  }

 private:
  void keep(const std::vector<OperationId>& order) {
    const std::int64_t peak = memory_.peak_bytes(order);
    if (peak < best_.peak_bytes) best_ = {order, peak, best_.bound_bytes};
  }

  /// Cuts an order again and again as long as that helps.
  void improve(std::vector<OperationId> order, CutSide side) {
    for (std::int64_t peak = memory_.peak_bytes(order), before = peak + 1; peak < before;) {
      order = order_by_cuts(memory_, std::move(order), side, best_.bound_bytes);
      before = peak;
      peak = memory_.peak_bytes(order);
      keep(order);
    }
  }

  const OrderMemory& memory_;
  std::vector<std::vector<OperationId>> starts_;
  OrderOutcome best_;
};

}  // namespace

OrderOutcome least_memory_order(const OrderMemory& memory, std::span<const OperationId> given) {
  return OrderSearch(memory, given).run();
}

}  // namespace hone
