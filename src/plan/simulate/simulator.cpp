#include "plan/simulate/simulator.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/error.h"

namespace hone {
namespace {

std::vector<std::size_t> streams_of_devices(const Machine& machine) {
  std::vector<std::size_t> streams;
  for (const Device& device : machine.devices) streams.push_back(machine.kinds[device.kind].streams);
  return streams;
}

}  // namespace

/// Watches nothing; what the hot path is compiled with.
struct Simulator::Quiet {
  void begin() {}
  void run(std::uint32_t, std::uint32_t, std::uint32_t, double, double) {}
  void transfer(const PlanLayout::Route&, double, double) {}
  void level(std::uint32_t, double, double) {}
  void release(std::uint32_t) {}
};

/// Writes down everything.
struct Simulator::Recorder {
  explicit Recorder(const PlanLayout& the_layout) : layout(the_layout) {
    timeline.levels.resize(layout.tables().machine.device_count());
  }

  void begin() {}
  /// In a plan without groups the group of an operation has its number.
  void run(std::uint32_t group, std::uint32_t device, std::uint32_t stream, double start, double finish) {
    timeline.runs.push_back({GroupId(layout.tables().operation_at[group]), DeviceId(device), stream, start, finish});
  }
  void transfer(const PlanLayout::Route& route, double start, double finish) {
    timeline.transfers.push_back({BufferId(layout.tables().buffer_at[route.rank]), DeviceId(route.from),
                                  DeviceId(route.to), LinkId(route.link), start, finish});
  }
  void level(std::uint32_t device, double seconds, double bytes) {
    std::vector<Timeline::Level>& levels = timeline.levels[device];
    if (!levels.empty() && levels.back().seconds == seconds) levels.pop_back();
    if (levels.empty() || levels.back().bytes != bytes) levels.push_back({seconds, bytes});
  }

  void release(std::uint32_t) {}

  const PlanLayout& layout;
  Timeline timeline;
};

/// Writes down when the memory of every copy is taken and given back; each moment has a number of its own.
struct Simulator::LifetimeRecorder {
  explicit LifetimeRecorder(const PlanLayout& the_layout) : layout(the_layout) {}

  void begin() {
    lower.assign(layout.slots.size(), -1);
    upper = lower;
  }
  void run(std::uint32_t group, std::uint32_t, std::uint32_t, double, double) {
    const SimulatorTables& tables = layout.tables();
    for (std::uint32_t rank = tables.output_begin[group]; rank < tables.output_begin[group + 1]; ++rank)
      lower[tables.buffers[rank].slot_begin] = ++moment;
  }
  void transfer(const PlanLayout::Route& route, double, double) {
    lower[static_cast<std::size_t>(&route - layout.routes.data())] = ++moment;
  }
  void level(std::uint32_t, double, double) {}
  void release(std::uint32_t slot) {
    if (layout.slots[slot].pending == 0) upper[slot] = ++moment;
  }

  const PlanLayout& layout;
  std::vector<std::int64_t> lower, upper;  // by slot; negative: not yet. Empty: nothing has begun
  std::int64_t moment = 0;
};

Simulator::Simulator(std::shared_ptr<const SimulatorTables> tables)
    : tables_(std::move(tables)),
      layout_(*tables_),
      played_(tables_.get()),
      devices_(streams_of_devices(tables_->machine), tables_->operation_at.size()),
      links_(std::vector<std::size_t>(tables_->machine.links.size(), 1), tables_->rank_of_slot.size()),
      held_(tables_->machine.device_count()),
      peaks_(tables_->machine.device_count()),
      receivers_(tables_->machine.links.size()),
      smooth_peaks_(tables_->machine.device_count()) {}

Cost Simulator::evaluate(const Plan& plan) {
  Quiet quiet;
  return simulate(plan, quiet);
}

Timeline Simulator::trace(const Plan& plan) {
  Recorder recorder(layout_);
  recorder.timeline.cost = simulate(plan, recorder);
  Timeline timeline = std::move(recorder.timeline);
  timeline.peak_bytes.assign(peaks_.begin(), peaks_.end());
  std::ranges::stable_sort(timeline.runs, {}, [](const auto& run) { return std::pair(run.start, run.device); });
  std::ranges::stable_sort(timeline.transfers, {}, [](const auto& move) { return std::pair(move.start, move.link); });
  return timeline;
}

std::vector<BufferLifetime> Simulator::lifetimes(const Plan& plan) {
  constexpr double kMostBytes = 0x1.0p61;  // more cannot be counted
  LifetimeRecorder recorder(layout_);
  simulate(plan, recorder);
  if (recorder.lower.empty()) return {};
  const auto resident = static_cast<std::uint32_t>(layout_.slots.size() - 1);
  std::vector<BufferLifetime> lifetimes;
  for (std::uint32_t slot = 0; slot < resident; ++slot) {
    if (recorder.lower[slot] < 0) continue;
    const std::uint32_t rank = played_->rank_of_slot[slot], holder = layout_.slots[slot].holder;
    const bool home = played_->buffers[rank].slot_begin == slot;
    const BufferId buffer(played_->buffer_at[rank]);
    const std::uint32_t device =
        home ? layout_.operations[played_->buffers[rank].producer].device : layout_.routes[slot].to;
    BufferLifetime lifetime{.buffer = buffer, .device = DeviceId(device)};
    if (holder != resident) {
      lifetime.holder = BufferId(played_->buffer_at[played_->rank_of_slot[holder]]);
      lifetime.bytes = static_cast<std::int64_t>(std::min(layout_.slots[holder].bytes, kMostBytes));
      lifetime.lower = recorder.lower[holder];
      lifetime.upper = recorder.upper[holder] < 0 ? recorder.moment + 1 : recorder.upper[holder];
    }
    lifetimes.push_back(lifetime);
  }
  return lifetimes;
}

void Simulator::reset() {
  devices_.reset(layout_.operations_on);
  links_.reset(layout_.transfers_over);
  now_ = 0;
  ended_groups_ = 0;
}

template <class Observer>
Cost Simulator::simulate(const Plan& plan, Observer& observer) {
  std::ranges::fill(held_, 0);
  std::ranges::fill(peaks_, 0);
  std::ranges::fill(smooth_peaks_, SmoothPeak());
  const bool has_devices = layout_.lay_out(plan);
  played_ = &layout_.tables();
  if (!has_devices) return {.seconds = std::numeric_limits<double>::infinity(), .obstacle = Obstacle::device};
  reset();
  observer.begin();
  for (std::uint32_t device = 0; device < held_.size(); ++device)
    take(layout_.resident_bytes[device], device, observer);
  play(observer);
  return cost();
}

Cost Simulator::cost() const {
  Cost cost{.seconds = now_};
  SmoothPeak smooth_peak;
  for (std::size_t device = 0; device < peaks_.size(); ++device) {
    cost.peak_bytes = std::max(cost.peak_bytes, peaks_[device]);
    smooth_peak.join(smooth_peaks_[device]);
    cost.overflow_bytes += std::max(0.0, peaks_[device] - tables_->machine.kind(DeviceId(device)).memory_bytes);
  }
  cost.smooth_peak_bytes = smooth_peak.bytes();
  if (cost.overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  if (ended_groups_ < layout_.operations.size()) {
    cost.seconds = std::numeric_limits<double>::infinity();
    cost.obstacle = Obstacle::cycle;
  }
  return cost;
}

template <class Observer>
void Simulator::play(Observer& observer) {
  for (std::uint32_t position = 0; position < layout_.operations.size(); ++position)
    if (layout_.operations[position].waiting == 0) make_ready(position);
  for (;;) {
    while (devices_.next() == now_) end_group(devices_.end_next(), observer);
    while (links_.next() == now_) end_transfer(links_.end_next().what, observer);
    start_transfers(observer);
    if (links_.next() == now_) continue;
    start_groups(observer);
    const double next = std::min(devices_.next(), links_.next());
    if (next == EventTree::kNever) return;
    now_ = next;
  }
}

template <class Observer>
void Simulator::end_group(Resources::Ended ended, Observer& observer) {
  const auto [device, group] = ended;
  ++ended_groups_;
  for (std::uint32_t edge = played_->inputs.begin_of(group); edge < played_->inputs.begin_of(group + 1); ++edge)
    release(layout_.slot_of_edge[edge], device, observer);
  for (std::uint32_t rank = played_->output_begin[group]; rank < played_->output_begin[group + 1]; ++rank) {
    const PlanLayout::Audience& audience = layout_.audiences[rank];
    if (audience.local == 1) supply(audience.local_reader);
    else if (audience.local != 0) deliver(rank, device);
    if (audience.destinations != 0) queue_transfers(rank);
    release(played_->buffers[rank].slot_begin, device, observer);
  }
  if (const std::uint32_t next = layout_.next_in_line[group]; next != PlanLayout::kNone) supply(next);
}

void Simulator::deliver(std::uint32_t rank, std::uint32_t device) {
  for (const std::uint32_t reader : played_->readers_of(rank))
    if (layout_.operations[reader].device == device) supply(reader);
}

/// One of the reads that a group waits for can be done.
void Simulator::supply(std::uint32_t reader) {
  if (--layout_.operations[reader].waiting == 0) make_ready(reader);
}

void Simulator::make_ready(std::uint32_t group) {
  const PlanLayout::OperationState& state = layout_.operations[group];
  devices_.enqueue(state.device, std::uint64_t{state.urgency} << 32 | group);
}

void Simulator::queue_transfers(std::uint32_t rank) {
  std::uint32_t slot = played_->buffers[rank].slot_begin;
  for (std::uint64_t left = layout_.audiences[rank].destinations; left != 0; left &= left - 1) {
    const PlanLayout::Route& route = layout_.routes[++slot];
    links_.enqueue(route.link, std::uint64_t{route.urgency} << 32 | slot);
  }
}

template <class Observer>
void Simulator::start_transfers(Observer& observer) {
  std::size_t started = 0;
  links_.start_all([&](std::uint32_t link, std::uint32_t, std::uint32_t slot) {
    const PlanLayout::Route& route = layout_.routes[slot];
    const SimulatorTables::BufferEntry& buffer = played_->buffers[route.rank];
    const double seconds =
        buffer.transfer_seconds >= 0 ? buffer.transfer_seconds : tables_->machine.links[link].seconds(buffer.bytes);
    take(layout_.slots[slot].bytes, route.to, observer);
    receivers_[started++] = route.to;
    observer.transfer(route, now_, now_ + seconds);
    return now_ + seconds;
  });
  // Only when all have started, since in which order they do means nothing.
  for (std::size_t i = 0; i < started; ++i) smooth_peaks_[receivers_[i]].add(held_[receivers_[i]]);
}

template <class Observer>
void Simulator::end_transfer(std::uint32_t slot, Observer& observer) {
  const PlanLayout::Route& route = layout_.routes[slot];
  if (route.reader == PlanLayout::kNone) deliver(route.rank, route.to);
  else supply(route.reader);
  release(played_->buffers[route.rank].slot_begin, route.from, observer);
}

template <class Observer>
void Simulator::start_groups(Observer& observer) {
  devices_.start_all([&](std::uint32_t device, std::uint32_t stream, std::uint32_t group) {
    take(output_bytes(group), device, observer);
    smooth_peaks_[device].add(held_[device]);
    const double finish = now_ + layout_.seconds[group];
    observer.run(group, device, stream, now_, finish);
    return finish;
  });
}

/// What a group takes when it starts.
double Simulator::output_bytes(std::uint32_t group) const {
  double bytes = 0;
  for (std::uint32_t rank = played_->output_begin[group]; rank < played_->output_begin[group + 1]; ++rank)
    bytes += layout_.slots[played_->buffers[rank].slot_begin].bytes;
  return bytes;
}

template <class Observer>
void Simulator::take(double bytes, std::uint32_t device, Observer& observer) {
  held_[device] += bytes;
  peaks_[device] = std::max(peaks_[device], held_[device]);
  observer.level(device, now_, held_[device]);
}

template <class Observer>
void Simulator::release(std::uint32_t slot, std::uint32_t device, Observer& observer) {
  PlanLayout::Slot& holder = layout_.slots[layout_.slots[slot].holder];
  // Whether this was the last is hard to foretell: bytes or nothing by a mask instead of a branch.
  const std::uint64_t mask = --holder.pending == 0 ? ~std::uint64_t{0} : 0;
  held_[device] -= std::bit_cast<double>(std::bit_cast<std::uint64_t>(holder.bytes) & mask);
  observer.level(device, now_, held_[device]);
  observer.release(layout_.slots[slot].holder);
}

}  // namespace hone
