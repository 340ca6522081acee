#pragma once

#include <compare>
#include <queue>
#include <tuple>

#include "plan/methods/durations.h"
#include "plan/search/evaluator.h"

namespace hone {

/// What a placement costs by the rules of DOPPLER's simulator (Yao et al., ICLR 2026): a device runs one operation at a
/// time, those first that became ready first (ties by operation); a result reaches every other device after its stated
/// seconds, however many others are sent. So only devices are decided. Priorities and links do not count.
class DopplerRules final : public Evaluator {
 public:
  explicit DopplerRules(const Problem& problem) : durations_(problem) {}

  Cost evaluate(const Plan& plan) override;
  /// The operations of the chain that ends last, by their seconds.
  std::vector<Blame> blame(const Plan& plan) override;
  std::unique_ptr<Evaluator> fork() const override { return std::make_unique<DopplerRules>(durations_.problem()); }

 private:
  /// Something that happens to an operation at a time.
  struct Event {
    enum class Kind : std::uint8_t { ended, ready } kind = Kind::ready;  // devices are freed before they are given
    double seconds = 0;
    OperationId operation;
    auto operator<=>(const Event& other) const {
      return std::tuple(seconds, kind, operation.index()) <=>
             std::tuple(other.seconds, other.kind, other.operation.index());
    }
  };
  using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  void end(OperationId operation, const Plan& plan);
  void start_next(DeviceId device);

  Durations durations_;
  Events events_;
  std::vector<std::queue<OperationId>> waiting_;  // by device
  std::vector<bool> busy_;                        // by device
  std::vector<std::uint32_t> missing_;            // by operation: results it waits for
  std::vector<double> ready_, end_;               // by operation
  std::vector<OperationId> held_up_by_;           // by operation: whose end its start waited for
  std::vector<OperationId> last_on_;              // by device
  double now_ = 0;
};

}  // namespace hone
