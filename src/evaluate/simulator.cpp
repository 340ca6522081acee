#include "evaluate/simulator.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/error.h"

namespace hone {

/// Watches nothing; what the hot path is compiled with.
struct Simulator::Quiet {
  void run(std::uint32_t, std::uint32_t, double, double) {}
  void end(std::uint32_t, std::uint32_t) {}
  void transfer(const PlanLayout::Route&, double, double) {}
  void level(std::uint32_t, double, double) {}
};

/// Writes down everything.
struct Simulator::Recorder {
  Recorder(const SimulatorTables& the_tables, const Plan& the_plan) : tables(the_tables), plan(the_plan) {
    const std::size_t devices = tables.machine.device_count();
    timeline.levels.resize(devices);
    busy_streams.resize(devices);
    stream_of.resize(tables.work_at.size());
  }

  void run(std::uint32_t leader, std::uint32_t device, double start, double finish) {
    const auto stream = static_cast<std::uint32_t>(std::countr_one(busy_streams[device]));
    busy_streams[device] |= std::uint64_t{1} << stream;
    stream_of[leader] = stream;
    timeline.runs.push_back({plan.group(WorkId(tables.work_at[leader])), DeviceId(device), stream, start, finish});
  }
  void end(std::uint32_t leader, std::uint32_t device) {
    busy_streams[device] &= ~(std::uint64_t{1} << stream_of[leader]);
  }
  void transfer(const PlanLayout::Route& route, double start, double finish) {
    timeline.transfers.push_back({BufferId(tables.buffer_at[route.rank]), DeviceId(route.from), DeviceId(route.to),
                                  LinkId(route.link), start, finish});
  }
  void level(std::uint32_t device, double seconds, double bytes) {
    std::vector<Timeline::Level>& levels = timeline.levels[device];
    if (!levels.empty() && levels.back().seconds == seconds) levels.pop_back();
    if (levels.empty() || levels.back().bytes != bytes) levels.push_back({seconds, bytes});
  }

  const SimulatorTables& tables;
  const Plan& plan;
  Timeline timeline;
  std::vector<std::uint64_t> busy_streams;
  std::vector<std::uint32_t> stream_of;
};

Simulator::Simulator(std::shared_ptr<const SimulatorTables> tables) : tables_(std::move(tables)), layout_(*tables_) {
  const Machine& machine = tables_->machine;
  HONE_CHECK(tables_->rank_of_slot.size() < kTransferBit, "too many buffers");
  devices_.resize(machine.device_count());
  links_.resize(machine.links.size());
  held_.resize(machine.device_count());
  peaks_.resize(machine.device_count());
  ready_storage_.resize(tables_->work_at.size());
  queue_storage_.resize(tables_->rank_of_slot.size());
  std::size_t running = machine.links.size();
  for (const Device& device : machine.devices) running += machine.kinds[device.kind].streams;
  event_storage_.resize(running);
  due_.reserve(running);
  ending_.reserve(running);
  touched_devices_.reserve(machine.device_count());
  touched_links_.reserve(machine.links.size());
}

Cost Simulator::evaluate(const Plan& plan) {
  Quiet quiet;
  return simulate(plan, quiet);
}

Timeline Simulator::trace(const Plan& plan) {
  Recorder recorder(*tables_, plan);
  recorder.timeline.cost = simulate(plan, recorder);
  Timeline timeline = std::move(recorder.timeline);
  timeline.peak_bytes = peaks_;
  std::ranges::stable_sort(timeline.runs, {}, [](const auto& run) { return std::pair(run.start, run.device); });
  std::ranges::stable_sort(timeline.transfers, {}, [](const auto& move) { return std::pair(move.start, move.link); });
  return timeline;
}

/// Empties all queues and gives each exactly the room this plan needs.
void Simulator::reset() {
  std::uint64_t* room = ready_storage_.data();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    devices_[i] = {.ready = Heap(room),
                   .free_streams = tables_->machine.kinds[tables_->machine.devices[i].kind].streams};
    room += layout_.groups_on[i];
  }
  room = queue_storage_.data();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i] = {.queue = Heap(room)};
    room += layout_.transfers_over[i];
  }
  events_ = Heap(event_storage_.data());
  due_.clear();
  ending_.clear();
  touched_devices_.clear();
  touched_links_.clear();
  now_ = 0;
  ended_groups_ = 0;
}

template <class Observer>
Cost Simulator::simulate(const Plan& plan, Observer& observer) {
  std::ranges::fill(held_, 0);
  std::ranges::fill(peaks_, 0);
  if (!layout_.lay_out(plan)) return {.seconds = std::numeric_limits<double>::infinity(), .obstacle = Obstacle::device};
  reset();
  for (std::uint32_t device = 0; device < devices_.size(); ++device)
    take(layout_.resident_bytes[device], device, observer);
  if (layout_.grouped()) play<true>(observer);
  else play<false>(observer);
  return cost();
}

Cost Simulator::cost() const {
  Cost cost{.seconds = now_};
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    cost.peak_bytes = std::max(cost.peak_bytes, peaks_[device]);
    cost.overflow_bytes += std::max(0.0, peaks_[device] - tables_->machine.kind(DeviceId(device)).memory_bytes);
  }
  if (cost.overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  if (ended_groups_ < layout_.group_count()) {
    cost.seconds = std::numeric_limits<double>::infinity();
    cost.obstacle = Obstacle::cycle;
  }
  return cost;
}

template <bool kGrouped, class Observer>
void Simulator::play(Observer& observer) {
  for (std::uint32_t position = 0; position < layout_.works.size(); ++position)
    if ((!kGrouped || layout_.works[position].leader == position) && layout_.works[position].waiting == 0)
      make_ready(position);
  for (;;) {
    do {
      end_due<kGrouped>(observer);
      start_transfers(observer);
    } while (!due_.empty());
    start_groups<kGrouped>(observer);
    if (!due_.empty()) continue;
    if (events_.empty()) return;
    now_ = events_.top().seconds;
    while (!events_.empty() && events_.top().seconds == now_) due_.push_back(events_.pop().what);
  }
}

template <bool kGrouped, class Observer>
void Simulator::end_due(Observer& observer) {
  std::swap(due_, ending_);
  for (const std::uint32_t what : ending_) {
    if ((what & kTransferBit) != 0) end_transfer<kGrouped>(what & ~kTransferBit, observer);
    else end_group<kGrouped>(what, observer);
  }
  ending_.clear();
}

template <bool kGrouped, class Observer>
void Simulator::end_group(std::uint32_t leader, Observer& observer) {
  const std::uint32_t device = layout_.works[leader].device;
  ++ended_groups_;
  observer.end(leader, device);
  ++devices_[device].free_streams;
  touch_device(device);
  if constexpr (kGrouped) {
    for (std::uint32_t member = leader; member != PlanLayout::kNone; member = layout_.next_member[member])
      end_work<true>(member, device, observer);
  } else {
    end_work<false>(leader, device, observer);
  }
}

template <bool kGrouped, class Observer>
void Simulator::end_work(std::uint32_t position, std::uint32_t device, Observer& observer) {
  for (std::uint32_t edge = tables_->inputs.begin(position); edge < tables_->inputs.begin(position + 1); ++edge)
    if (!kGrouped || layout_.slot_of_edge[edge] != PlanLayout::kNone)
      release(layout_.slot_of_edge[edge], device, observer);
  for (std::uint32_t rank = tables_->output_begin[position]; rank < tables_->output_begin[position + 1]; ++rank) {
    if (layout_.audiences[rank].local != 0) deliver<kGrouped>(rank, device);
    if (layout_.audiences[rank].destinations != 0) queue_transfers(rank);
    release(tables_->buffers[rank].slot_begin, device, observer);
  }
}

template <bool kGrouped>
void Simulator::deliver(std::uint32_t rank, std::uint32_t device) {
  for (const std::uint32_t reader : tables_->readers_of(rank)) {
    if (layout_.works[reader].device != device) continue;
    const std::uint32_t group = kGrouped ? layout_.works[reader].leader : reader;
    if (kGrouped && group == layout_.works[tables_->buffers[rank].producer].leader) continue;
    supply(group);
  }
}

/// One of the reads that a group waits for can be done.
void Simulator::supply(std::uint32_t leader) {
  if (--layout_.works[leader].waiting == 0) make_ready(leader);
}

void Simulator::make_ready(std::uint32_t leader) {
  const PlanLayout::WorkState& group = layout_.works[leader];
  devices_[group.device].ready.push(std::uint64_t{group.urgency} << 32 | leader);
  touch_device(group.device);
}

void Simulator::touch_device(std::uint32_t device) {
  if (!std::exchange(devices_[device].touched, true)) touched_devices_.push_back(device);
}

void Simulator::touch_link(std::uint32_t link) {
  if (!std::exchange(links_[link].touched, true)) touched_links_.push_back(link);
}

void Simulator::queue_transfers(std::uint32_t rank) {
  std::uint32_t slot = tables_->buffers[rank].slot_begin;
  for (std::uint64_t left = layout_.audiences[rank].destinations; left != 0; left &= left - 1) {
    const PlanLayout::Route& route = layout_.routes[++slot];
    links_[route.link].queue.push(std::uint64_t{route.urgency} << 32 | slot);
    touch_link(route.link);
  }
}

template <class Observer>
void Simulator::start_transfers(Observer& observer) {
  for (const std::uint32_t link : touched_links_) {
    LinkState& state = links_[link];
    state.touched = false;
    if (state.busy || state.queue.empty()) continue;
    state.busy = true;
    const auto slot = static_cast<std::uint32_t>(state.queue.pop());
    const PlanLayout::Route& route = layout_.routes[slot];
    const SimulatorTables::BufferEntry& buffer = tables_->buffers[route.rank];
    const double seconds =
        buffer.transfer_seconds >= 0 ? buffer.transfer_seconds : tables_->machine.links[link].seconds(buffer.bytes);
    take(layout_.slots[slot].bytes, route.to, observer);
    observer.transfer(route, now_, now_ + seconds);
    schedule(now_ + seconds, slot | kTransferBit);
  }
  touched_links_.clear();
}

template <bool kGrouped, class Observer>
void Simulator::end_transfer(std::uint32_t slot, Observer& observer) {
  const PlanLayout::Route& route = layout_.routes[slot];
  links_[route.link].busy = false;
  touch_link(route.link);
  if (route.reader == PlanLayout::kNone) deliver<kGrouped>(route.rank, route.to);
  else supply(kGrouped ? layout_.works[route.reader].leader : route.reader);
  release(tables_->buffers[route.rank].slot_begin, route.from, observer);
}

template <bool kGrouped, class Observer>
void Simulator::start_groups(Observer& observer) {
  for (const std::uint32_t device : touched_devices_) {
    DeviceState& state = devices_[device];
    state.touched = false;
    for (; state.free_streams > 0 && !state.ready.empty(); --state.free_streams)
      start_group<kGrouped>(static_cast<std::uint32_t>(state.ready.pop()), device, observer);
  }
  touched_devices_.clear();
}

template <bool kGrouped, class Observer>
void Simulator::start_group(std::uint32_t leader, std::uint32_t device, Observer& observer) {
  double bytes = 0;
  const auto add_outputs = [&](std::uint32_t position) {
    for (std::uint32_t rank = tables_->output_begin[position]; rank < tables_->output_begin[position + 1]; ++rank)
      bytes += layout_.slots[tables_->buffers[rank].slot_begin].bytes;
  };
  if constexpr (kGrouped) {
    for (std::uint32_t member = leader; member != PlanLayout::kNone; member = layout_.next_member[member])
      add_outputs(member);
  } else {
    add_outputs(leader);
  }
  take(bytes, device, observer);
  const double finish = now_ + layout_.seconds[leader];
  observer.run(leader, device, now_, finish);
  schedule(finish, leader);
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
  if (--holder.pending != 0) return;
  held_[device] -= holder.bytes;
  observer.level(device, now_, held_[device]);
}

void Simulator::schedule(double finish, std::uint32_t what) {
  if (finish == now_) due_.push_back(what);
  else events_.push({finish, what});
}

}  // namespace hone
