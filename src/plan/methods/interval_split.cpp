#include "plan/methods/interval_split.h"

#include <algorithm>
#include <limits>

namespace hone {
namespace {

constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kMostStates = 1 << 12;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Loads and bytes of an interval of an order that grows at its end, on every kind of device.
class Interval {
 public:
  Interval(const LoadGraph& graph, std::vector<std::uint32_t> samples)
      : graph_(graph), samples_(std::move(samples)), inside_(graph.net_count()), seconds_(samples_.size()) {}

  void clear() {
    std::ranges::fill(inside_, 0);
    std::ranges::fill(seconds_, 0);
    moving_seconds_ = bytes_ = 0;
  }

  void add(std::uint32_t choice) {
    for (std::size_t i = 0; i < samples_.size(); ++i) seconds_[i] += graph_.seconds_on(choice, samples_[i]);
    bytes_ += graph_.bytes[choice];
    for (const std::uint32_t net : graph_.nets_of[choice]) {
      const std::uint32_t others = inside_[net]++;
      if (others == 0) moving_seconds_ += graph_.net_seconds[net], bytes_ += graph_.net_bytes[net];
      if (others + 1 == graph_.ends[net].size()) moving_seconds_ -= graph_.net_seconds[net];
    }
  }

  /// Infinite where it does not fit.
  double load(std::size_t kind) const {
    const std::uint32_t device = samples_[kind];
    if (bytes_ > graph_.capacity_bytes[device]) return kNever;
    return seconds_[kind] + (graph_.is_host[device] != 0 ? 0 : moving_seconds_);
  }

 private:
  const LoadGraph& graph_;
  std::vector<std::uint32_t> samples_;  // a device of each kind
  std::vector<std::uint32_t> inside_;   // by net: ends in the interval
  std::vector<double> seconds_;         // by kind
  double moving_seconds_ = 0, bytes_ = 0;
};

/// Dynamic programming over where the order has been cut and how many devices of each kind are taken.
class IntervalSplit {
 public:
  IntervalSplit(const LoadGraph& graph, const std::vector<std::uint32_t>& order, SplitBy by)
      : graph_(graph), order_(order), by_(by) {
    const std::size_t blocks = std::min(order.size(), kMostBlocks);
    for (std::size_t i = 0; i <= blocks; ++i) cuts_.push_back(i * order.size() / blocks);
    group_devices();
    best_.assign(cuts_.size() * states_, kNever);
    from_.resize(best_.size());
  }

  std::optional<Split> run() {
    Interval interval(graph_, samples());
    best_[0] = 0;
    for (std::size_t begin = 0; begin + 1 < cuts_.size(); ++begin) {
      interval.clear();
      for (std::size_t end = begin + 1; end < cuts_.size(); ++end) {
        for (std::size_t i = cuts_[end - 1]; i < cuts_[end]; ++i) interval.add(order_[i]);
        bool fits = false;
        for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
          const double load = interval.load(kind);
          if (load == kNever) continue;
          fits = true;
          extend(begin, end, kind, load);
        }
        if (!fits) break;
      }
    }
    return trace();
  }

 private:
  /// Devices that are alike, and how the number of them that is taken enters the number of a state.
  struct Kind {
    std::vector<std::uint32_t> devices;
    std::size_t stride = 0;
    bool endless = false;  // taking one takes nothing away
  };
  struct Step {
    std::uint32_t begin = 0, kind = 0;
  };

  void group_devices() {
    std::vector<std::size_t> kind_at(graph_.problem.machine.kinds.size(), SIZE_MAX);
    for (std::uint32_t device = 0; device < graph_.devices; ++device) {
      std::size_t& at = kind_at[graph_.problem.machine.devices[device].kind];
      if (at == SIZE_MAX) {
        at = kinds_.size();
        kinds_.push_back({.endless = by_ == SplitBy::sum_of_loads && graph_.is_host[device] != 0});
      }
      kinds_[at].devices.push_back(device);
    }
    for (Kind& kind : kinds_) {
      kind.stride = states_;
      if (kind.endless) continue;
      // With very many kinds the last of them take part with fewer devices.
      const std::size_t most = std::max<std::size_t>(1, kMostStates / states_ - 1);
      if (kind.devices.size() > most) kind.devices.resize(most);
      states_ *= kind.devices.size() + 1;
    }
  }

  std::vector<std::uint32_t> samples() const {
    std::vector<std::uint32_t> samples;
    for (const Kind& kind : kinds_) samples.push_back(kind.devices.front());
    return samples;
  }

  std::size_t taken(std::size_t state, const Kind& kind) const {
    return kind.endless ? 0 : state / kind.stride % (kind.devices.size() + 1);
  }

  void extend(std::size_t begin, std::size_t end, std::size_t which, double load) {
    const Kind& kind = kinds_[which];
    for (std::size_t state = 0; state < states_; ++state) {
      const double before = best_[begin * states_ + state];
      if (before == kNever || (!kind.endless && taken(state, kind) == kind.devices.size())) continue;
      const double value = by_ == SplitBy::largest_load ? std::max(before, load) : before + load;
      const std::size_t after = end * states_ + state + (kind.endless ? 0 : kind.stride);
      if (value >= best_[after]) continue;
      best_[after] = value;
      from_[after] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(which)};
    }
  }

  std::optional<Split> trace() const {
    std::size_t end = cuts_.size() - 1;
    const auto last = best_.begin() + static_cast<std::ptrdiff_t>(end * states_);
    auto state = static_cast<std::size_t>(std::min_element(last, best_.end()) - last);
    Split split{.device_of = std::vector<std::uint32_t>(graph_.size()), .value = best_[end * states_ + state]};
    if (split.value == kNever) return std::nullopt;
    while (end > 0) {
      const Step step = from_[end * states_ + state];
      const Kind& kind = kinds_[step.kind];
      if (!kind.endless) state -= kind.stride;
      const std::uint32_t device = kind.devices[taken(state, kind)];
      for (std::size_t i = cuts_[step.begin]; i < cuts_[end]; ++i) split.device_of[order_[i]] = device;
      end = step.begin;
    }
    return split;
  }

  const LoadGraph& graph_;
  const std::vector<std::uint32_t>& order_;
  SplitBy by_;
  std::vector<std::size_t> cuts_;  // places in the order, its beginning and end included
  std::vector<Kind> kinds_;
  std::size_t states_ = 1;
  std::vector<double> best_;  // by cut * states + state
  std::vector<Step> from_;
};

}  // namespace

std::optional<Split> split_into_intervals(const LoadGraph& graph, const std::vector<std::uint32_t>& order, SplitBy by) {
  return IntervalSplit(graph, order, by).run();
}

}  // namespace hone
