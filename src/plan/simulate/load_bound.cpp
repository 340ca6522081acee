#include "plan/simulate/load_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/problem/operation_time.h"

namespace hone {
namespace {

constexpr double kSafe = 1 - 1e-9;
constexpr int kMostSteps = 300;

/// What every choice costs on every kind of device, transfers left out.
struct Demand {
  std::size_t kinds = 0;
  std::vector<double> seconds;            // by choice * kinds + kind; infinite where it cannot run
  std::vector<double> bytes;              // by choice: held for certain on its device
  std::vector<double> count, room_bytes;  // by kind: devices, and bytes of all of them
};

/// Bytes that a device holds because a choice runs there, such that none are counted twice.
std::vector<double> own_bytes(const Problem& problem, const DeviceChoices& choices) {
  std::vector<double> bytes(choices.count());
  for (std::size_t i = 0; i < problem.workload.buffer_count(); ++i) {
    const Buffer& buffer = problem.workload.buffer(BufferId(i));
    if (buffer.alias_of.valid()) continue;
    const auto readers = problem.workload.readers(BufferId(i));
    if (buffer.producer.valid()) bytes[choices.choice_of(buffer.producer)] += buffer.bytes;
    else if (!readers.empty()) bytes[choices.choice_of(readers.front())] += buffer.bytes;
  }
  return bytes;
}

Demand demand_of(const Problem& problem) {
  const Machine& machine = problem.machine;
  const DeviceChoices choices(problem);
  const OperationTimes times(problem.workload, machine);
  Demand demand{.kinds = machine.kinds.size(), .bytes = own_bytes(problem, choices)};
  demand.seconds.resize(choices.count() * demand.kinds);
  demand.count.resize(demand.kinds);
  for (const Device& device : machine.devices) ++demand.count[device.kind];
  for (std::size_t kind = 0; kind < demand.kinds; ++kind)
    demand.room_bytes.push_back(demand.count[kind] * machine.kinds[kind].memory_bytes);
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    for (std::size_t kind = 0; kind < demand.kinds; ++kind) {
      const double alone = times.at(OperationId(i), kind).alone(problem.workload.operation(OperationId(i)).bytes);
      const bool never = std::isnan(alone) || demand.count[kind] == 0;
      demand.seconds[choices.choice_of(OperationId(i)) * demand.kinds + kind] +=
          never ? std::numeric_limits<double>::infinity() : alone;
    }
  return demand;
}

/// Lagrange's multipliers: what a second and a byte are worth on each kind of device. Proof that any choice of them
/// gives a bound: let T be the largest load of a plan that fits. With second_price >= 0 and sum(count * second_price) =
/// 1, T >= sum over devices of price * load >= sum over choices of price * seconds. With byte_price >= 0, the bytes of
/// all choices of a kind less the room there is are not positive, so adding byte_price times that makes the sum no
/// larger. And each choice costs at least the least it costs anywhere.
class Prices {
 public:
  explicit Prices(const Demand& demand)
      : demand_(demand),
        weight_(demand.kinds, 1.0),
        byte_price_(demand.kinds),
        load_(demand.kinds),
        held_(demand.kinds) {}

  /// The bound that the prices give; notes what each kind would run at these prices.
  double bound() {
    double devices_weight = 0, sum = 0;
    for (std::size_t kind = 0; kind < demand_.kinds; ++kind) devices_weight += weight_[kind] * demand_.count[kind];
    std::ranges::fill(load_, 0);
    std::ranges::fill(held_, 0);
    for (std::size_t choice = 0; choice < demand_.bytes.size(); ++choice) {
      const double* const seconds = demand_.seconds.data() + choice * demand_.kinds;
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t kind = 0; kind < demand_.kinds; ++kind) {
        const double price = weight_[kind] / devices_weight * seconds[kind] + byte_price_[kind] * demand_.bytes[choice];
        if (price < least) least = price, best = kind;
      }
      sum += least;
      load_[best] += seconds[best] / demand_.count[best];
      held_[best] += demand_.bytes[choice];
    }
    for (std::size_t kind = 0; kind < demand_.kinds; ++kind)
      if (byte_price_[kind] > 0) sum -= byte_price_[kind] * demand_.room_bytes[kind];
    return sum;
  }

  /// Makes dearer what is asked for too much.
  void adjust(double step) {
    const double most = std::max(std::ranges::max(load_), 1e-300);
    for (std::size_t kind = 0; kind < demand_.kinds; ++kind) {
      weight_[kind] *= std::exp(step * (load_[kind] / most - 0.5));
      if (!(demand_.room_bytes[kind] > 0 && std::isfinite(demand_.room_bytes[kind]))) continue;
      const double excess = held_[kind] / demand_.room_bytes[kind] - 1;
      byte_price_[kind] = std::max(0.0, byte_price_[kind] + step * excess * most / demand_.room_bytes[kind]);
    }
    const double largest = std::ranges::max(weight_);
    for (double& weight : weight_) weight = std::max(weight / largest, 1e-12);
  }

 private:
  const Demand& demand_;
  std::vector<double> weight_, byte_price_;  // by kind
  std::vector<double> load_, held_;          // by kind
};

}  // namespace

double load_bound(const Problem& problem) {
  const Demand demand = demand_of(problem);
  double bound = 0;
  for (std::size_t choice = 0; choice < demand.bytes.size(); ++choice)  // the device that runs it has that load
    bound = std::max(bound, std::ranges::min(std::span(demand.seconds).subspan(choice * demand.kinds, demand.kinds)));
  Prices prices(demand);
  for (int round = 1; round <= kMostSteps; ++round) {
    bound = std::max(bound, prices.bound());
    prices.adjust(1.0 / std::sqrt(round));
  }
  return bound * kSafe;
}

}  // namespace hone
