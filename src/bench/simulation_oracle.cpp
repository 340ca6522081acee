#include "bench/simulation_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "bench/kernel_oracle.h"
#include "plan/simulate/smooth_peak.h"

namespace hone {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// A buffer on a device.
using Copy = std::pair<BufferId, DeviceId>;
/// A transfer: what, and where to.
using Move = std::pair<BufferId, DeviceId>;

class Oracle {
 public:
  Oracle(const Workload& workload, const Machine& machine, const Plan& plan);
  Timeline run();

 private:
  // What the plan says.
  GroupId group_of(OperationId operation) const { return plan_.group(operation); }
  DeviceId device_of(OperationId operation) const { return plan_.device(operation); }
  bool is_resident(BufferId buffer) const { return !workload_.buffer(buffer).producer.valid(); }
  bool holds(GroupId group, OperationId operation) const;
  std::set<GroupId> readers_outside(BufferId buffer) const;
  bool is_stored(BufferId buffer) const;
  std::set<BufferId> stored_by(GroupId group) const;
  DeviceId device_of(GroupId group) const { return plan_.device_of[group.index()]; }
  std::set<BufferId> outside_inputs(GroupId group) const;
  std::set<DeviceId> destinations(BufferId buffer) const;
  double seconds_of(GroupId group) const;
  double seconds_of(Move move) const;
  Copy home_of(Copy copy) const;
  BufferId root_resident(BufferId buffer) const;
  std::tuple<float, std::size_t> order_of(GroupId group) const {
    return {-plan_.priority_of(group), position_.at(members_.at(group).front())};
  }
  void line_up();

  // The state, asked literally.
  bool is_over(Copy copy) const;
  double held_on(DeviceId device) const;
  bool is_ready(GroupId group) const;
  bool is_next_in_line(GroupId group) const;

  bool end_what_is_due();
  void start_moves();
  void start_groups();
  void note_levels();
  void start_group(GroupId group, DeviceId device);

  const Workload& workload_;
  const Machine& machine_;
  const Plan& plan_;
  OperationTimes times_;

  std::map<OperationId, std::size_t> position_;
  std::map<GroupId, std::vector<OperationId>> members_;    // that live there, in topological order
  std::map<GroupId, std::vector<OperationId>> instances_;  // copies too, in topological order
  std::map<OperationId, std::set<GroupId>> groups_;        // in which there is an instance
  std::map<Copy, std::vector<Copy>> tenants_;              // by the copy whose memory they live in
  std::vector<GroupId> line_;                              // as devices run them, if they wait

  std::map<GroupId, double> running_;  // until when
  std::map<GroupId, std::uint32_t> stream_;
  std::set<GroupId> started_, ended_;
  std::map<Move, double> moving_;
  std::set<Move> queued_, departed_, arrived_;
  double now_ = 0;
  std::map<DeviceId, SmoothPeak> smooth_peaks_;
  Timeline timeline_;
};

Oracle::Oracle(const Workload& workload, const Machine& machine, const Plan& plan)
    : workload_(workload), machine_(machine), plan_(plan), times_(workload, machine) {
  for (const OperationId operation : workload.topological_order()) {
    position_[operation] = position_.size();
    members_[group_of(operation)].push_back(operation);
    groups_[operation].insert(group_of(operation));
    for (const Plan::Copy& copy : plan.copies)
      if (copy.operation == operation) groups_[operation].insert(copy.group);
    for (const GroupId group : groups_[operation]) instances_[group].push_back(operation);
  }
  timeline_.levels.resize(machine.device_count());
  timeline_.peak_bytes.resize(machine.device_count());
}

bool Oracle::holds(GroupId group, OperationId operation) const {
  return groups_.contains(operation) && groups_.at(operation).contains(group);
}

std::set<GroupId> Oracle::readers_outside(BufferId buffer) const {
  std::set<GroupId> groups;
  for (const OperationId reader : workload_.readers(buffer))
    for (const GroupId group : groups_.at(reader))
      if (!holds(group, workload_.buffer(buffer).producer)) groups.insert(group);
  return groups;
}

bool Oracle::is_stored(BufferId buffer) const {
  return workload_.buffer(buffer).is_output || workload_.readers(buffer).empty() || !readers_outside(buffer).empty();
}

std::set<BufferId> Oracle::stored_by(GroupId group) const {
  std::set<BufferId> stored;
  for (const OperationId operation : members_.at(group))
    for (const BufferId output : workload_.outputs(operation))
      if (is_stored(output)) stored.insert(output);
  return stored;
}

std::set<BufferId> Oracle::outside_inputs(GroupId group) const {
  std::set<BufferId> inputs;
  for (const OperationId operation : instances_.at(group))
    for (const BufferId input : workload_.inputs(operation))
      if (!is_resident(input) && !holds(group, workload_.buffer(input).producer)) inputs.insert(input);
  return inputs;
}

std::set<DeviceId> Oracle::destinations(BufferId buffer) const {
  std::set<DeviceId> devices;
  for (const GroupId reader : readers_outside(buffer)) devices.insert(device_of(reader));
  devices.erase(device_of(workload_.buffer(buffer).producer));
  return devices;
}

double Oracle::seconds_of(GroupId group) const {
  const std::size_t kind = machine_.device(device_of(group)).kind;
  return time_kernel_slowly({workload_, machine_, kind, instances_.at(group), stored_by(group)}, times_);
}

double Oracle::seconds_of(Move move) const {
  const Buffer& buffer = workload_.buffer(move.first);
  if (buffer.transfer_seconds >= 0) return buffer.transfer_seconds;
  const Link& link = machine_.link(machine_.route(device_of(buffer.producer), move.second));
  return link.latency_seconds + buffer.bytes / link.bytes_per_second;
}

/// The copy in whose memory this one lives: itself, unless it is an alias made here of something that is here.
Copy Oracle::home_of(Copy copy) const {
  const Buffer& buffer = workload_.buffer(copy.first);
  if (!buffer.producer.valid() || device_of(buffer.producer) != copy.second) return copy;
  bool all_read = true;
  std::vector<BufferId> chain = {copy.first};
  while (chain.size() == 1 || !(is_resident(chain.back()) || is_stored(chain.back()))) {
    const BufferId target = workload_.buffer(chain.back()).alias_of;
    if (!target.valid()) return copy;
    const auto inputs = workload_.inputs(workload_.buffer(chain.back()).producer);
    if (std::find(inputs.begin(), inputs.end(), target) == inputs.end()) all_read = false;
    chain.push_back(target);
  }
  const OperationId maker = workload_.buffer(chain.back()).producer;
  if (maker.valid() && group_of(maker) != group_of(buffer.producer) && holds(group_of(buffer.producer), maker))
    return copy;
  const bool is_neighbour = chain.size() == 2 && maker.valid() && device_of(maker) == copy.second;
  return all_read || is_neighbour ? home_of({chain.back(), copy.second}) : copy;
}

BufferId Oracle::root_resident(BufferId buffer) const {
  const BufferId up = workload_.buffer(buffer).alias_of;
  return up.valid() && is_resident(up) ? root_resident(up) : buffer;
}

/// Whether nothing needs this copy any more: its maker, its readers here and the transfers of it from here have ended.
bool Oracle::is_over(Copy copy) const {
  const auto& [buffer, device] = copy;
  const OperationId producer = workload_.buffer(buffer).producer;
  const bool made_here = device_of(producer) == device;
  if (made_here && (workload_.buffer(buffer).is_output || !ended_.contains(group_of(producer)))) return false;
  for (const GroupId reader : readers_outside(buffer))
    if (device_of(reader) == device && !ended_.contains(reader)) return false;
  if (made_here)
    for (const DeviceId to : destinations(buffer))
      if (!arrived_.contains({buffer, to})) return false;
  return true;
}

double Oracle::held_on(DeviceId device) const {
  std::set<BufferId> residents;
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i)
    if (is_resident(BufferId(i)))
      for (const GroupId reader : readers_outside(BufferId(i)))
        if (device_of(reader) == device) residents.insert(root_resident(BufferId(i)));
  double bytes = 0;
  for (const BufferId resident : residents) bytes += std::ceil(workload_.buffer(resident).bytes);
  for (const auto& [home, tenants] : tenants_) {
    if (home.second != device || is_resident(home.first)) continue;
    const OperationId producer = workload_.buffer(home.first).producer;
    const bool made_here = device_of(producer) == device;
    const bool taken = made_here ? started_.contains(group_of(producer)) : departed_.contains(home);
    const auto over = [&](const Copy& copy) { return is_over(copy); };
    if (!taken || std::ranges::all_of(tenants, over)) continue;
    bytes += std::ceil(workload_.buffer(home.first).bytes);
  }
  return bytes;
}

void Oracle::note_levels() {
  for (std::size_t i = 0; i < machine_.device_count(); ++i) {
    const double bytes = held_on(DeviceId(i));
    timeline_.peak_bytes[i] = std::max(timeline_.peak_bytes[i], bytes);
    std::vector<Timeline::Level>& levels = timeline_.levels[i];
    if (!levels.empty() && levels.back().seconds == now_) levels.pop_back();
    if (levels.empty() || levels.back().bytes != bytes) levels.push_back({now_, bytes});
  }
}

void Oracle::line_up() {
  const auto stands = [&](GroupId group) { return std::ranges::find(line_, group) != line_.end(); };
  for (;;) {
    std::optional<GroupId> next;
    for (const auto& [group, operations] : members_) {
      const auto made_in_line = [&](BufferId input) { return stands(group_of(workload_.buffer(input).producer)); };
      const std::set<BufferId> inputs = outside_inputs(group);
      if (!stands(group) && std::ranges::all_of(inputs, made_in_line) && (!next || order_of(group) < order_of(*next)))
        next = group;
    }
    if (!next) return;
    line_.push_back(*next);
  }
}

bool Oracle::is_next_in_line(GroupId group) const {
  for (const GroupId before : line_) {
    if (before == group) return true;
    if (device_of(before) == device_of(group) && !ended_.contains(before)) return false;
  }
  return false;
}

bool Oracle::is_ready(GroupId group) const {
  if (started_.contains(group)) return false;
  if (plan_.waiting == Waiting::in_line && !is_next_in_line(group)) return false;
  const DeviceId device = device_of(group);
  for (const BufferId input : outside_inputs(group)) {
    const OperationId producer = workload_.buffer(input).producer;
    const bool here =
        device_of(producer) == device ? ended_.contains(group_of(producer)) : arrived_.contains({input, device});
    if (!here) return false;
  }
  return true;
}

bool Oracle::end_what_is_due() {
  std::set<GroupId> groups;
  std::set<Move> moves;
  for (const auto& [group, finish] : running_)
    if (finish == now_) groups.insert(group);
  for (const auto& [move, finish] : moving_)
    if (finish == now_) moves.insert(move);
  for (const GroupId group : groups) {
    running_.erase(group);
    ended_.insert(group);
    for (const OperationId operation : members_.at(group))
      for (const BufferId output : workload_.outputs(operation))
        for (const DeviceId to : destinations(output)) queued_.insert({output, to});
  }
  for (const Move& move : moves) {
    moving_.erase(move);
    arrived_.insert(move);
  }
  note_levels();
  return !groups.empty() || !moves.empty();
}

void Oracle::start_moves() {
  const auto link_of = [&](const Move& move) {
    return machine_.route(device_of(workload_.buffer(move.first).producer), move.second);
  };
  const auto order = [&](const Move& move) {
    const std::size_t row = move.first.index() * machine_.device_count();
    const float priority = plan_.transfer_priority.empty() ? 0 : plan_.transfer_priority[row + move.second.index()];
    const OperationId leader = members_.at(group_of(workload_.buffer(move.first).producer)).front();
    return std::tuple(-priority, position_.at(leader), move.first, move.second);
  };
  std::vector<DeviceId> receivers;
  for (std::size_t i = 0; i < machine_.links.size(); ++i) {
    const LinkId link(i);
    if (std::ranges::any_of(moving_, [&](const auto& entry) { return link_of(entry.first) == link; })) continue;
    const Move* best = nullptr;
    for (const Move& move : queued_)
      if (link_of(move) == link && (best == nullptr || order(move) < order(*best))) best = &move;
    if (best == nullptr) continue;
    const Move move = *best;
    queued_.erase(move);
    departed_.insert(move);
    moving_[move] = now_ + seconds_of(move);
    timeline_.transfers.push_back(
        {move.first, device_of(workload_.buffer(move.first).producer), move.second, link, now_, moving_[move]});
    receivers.push_back(move.second);
  }
  for (const DeviceId receiver : receivers) smooth_peaks_[receiver].add(held_on(receiver));
  note_levels();
}

void Oracle::start_group(GroupId group, DeviceId device) {
  std::set<std::uint32_t> taken;
  for (const auto& entry : running_)
    if (device_of(entry.first) == device) taken.insert(stream_.at(entry.first));
  std::uint32_t stream = 0;
  while (taken.contains(stream)) ++stream;
  stream_[group] = stream;
  started_.insert(group);
  running_[group] = now_ + seconds_of(group);
  timeline_.runs.push_back({group, device, stream, now_, running_[group]});
}

void Oracle::start_groups() {
  for (std::size_t i = 0; i < machine_.device_count(); ++i) {
    const DeviceId device(i);
    for (;;) {
      std::size_t busy = 0;
      for (const auto& entry : running_) busy += device_of(entry.first) == device;
      if (busy == machine_.kind(device).streams) break;
      const GroupId* best = nullptr;
      for (const auto& [group, operations] : members_)
        if (device_of(group) == device && is_ready(group) && (best == nullptr || order_of(group) < order_of(*best)))
          best = &group;
      if (best == nullptr) break;
      start_group(*best, device);
      smooth_peaks_[device].add(held_on(device));
    }
  }
  note_levels();
}

Timeline Oracle::run() {
  for (const auto& [group, operations] : members_) {
    if (plan_.device_of[group.index()].index() < machine_.device_count() && !std::isnan(seconds_of(group))) continue;
    timeline_.cost = {.seconds = kForever, .obstacle = Obstacle::device};
    return timeline_;
  }
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    if (is_resident(BufferId(i)) || !is_stored(BufferId(i))) continue;
    std::set<DeviceId> devices = destinations(BufferId(i));
    devices.insert(device_of(workload_.buffer(BufferId(i)).producer));
    for (const DeviceId device : devices) tenants_[home_of({BufferId(i), device})].push_back({BufferId(i), device});
  }
  if (plan_.waiting == Waiting::in_line) line_up();
  note_levels();
  for (;;) {
    do end_what_is_due(), start_moves();
    while (std::ranges::any_of(moving_, [&](const auto& entry) { return entry.second == now_; }));
    start_groups();
    double next = kForever;
    for (const auto& entry : running_) next = std::min(next, entry.second);
    for (const auto& entry : moving_) next = std::min(next, entry.second);
    if (next == kForever) break;
    now_ = next;
  }
  timeline_.cost.smooth_peak_bytes = joined(smooth_peaks_).bytes();
  timeline_.cost.seconds = ended_.size() == members_.size() ? now_ : kForever;
  for (std::size_t i = 0; i < machine_.device_count(); ++i) {
    timeline_.cost.peak_bytes = std::max(timeline_.cost.peak_bytes, timeline_.peak_bytes[i]);
    timeline_.cost.overflow_bytes += std::max(0.0, timeline_.peak_bytes[i] - machine_.kind(DeviceId(i)).memory_bytes);
  }
  if (timeline_.cost.overflow_bytes > 0) timeline_.cost.obstacle = Obstacle::memory;
  if (ended_.size() < members_.size()) timeline_.cost.obstacle = Obstacle::cycle;
  std::ranges::stable_sort(timeline_.runs, {}, [](const auto& run) { return std::pair(run.start, run.device); });
  std::ranges::stable_sort(timeline_.transfers, {}, [](const auto& move) { return std::pair(move.start, move.link); });
  return timeline_;
}

}  // namespace

Timeline simulate_slowly(const Workload& workload, const Machine& machine, const Plan& plan) {
  return Oracle(workload, machine, plan).run();
}

}  // namespace hone
