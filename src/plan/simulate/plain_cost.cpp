#include "plan/simulate/plain_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "plan/problem/operation_time.h"
#include "plan/simulate/smooth_peak.h"

namespace hone {
namespace {

/// A buffer on a device; also the transfer that brings it there.
using Copy = std::pair<BufferId, DeviceId>;

class Play {
 public:
  Play(const Problem& problem, const Plan& plan)
      : workload_(problem.workload), machine_(problem.machine), plan_(plan), times_(workload_, machine_) {}

  Cost run();

 private:
  bool is_resident(BufferId buffer) const { return !workload_.buffer(buffer).producer.valid(); }
  DeviceId maker_device(BufferId buffer) const { return plan_.device(workload_.buffer(buffer).producer); }
  LinkId link_of(const Copy& move) const { return machine_.route(maker_device(move.first), move.second); }
  std::set<OperationId> readers_on(BufferId buffer, DeviceId device) const;
  std::set<DeviceId> destinations(BufferId buffer) const;
  Copy home_of(const Copy& copy) const;
  double seconds_of(const Copy& move) const;

  void prepare();
  void make_ready(OperationId operation);
  void line_up();
  void hold_residents();
  void take(const Copy& copy);
  void let_go(const Copy& copy);
  void arrive(BufferId buffer, DeviceId device);
  void end(OperationId operation);
  bool end_what_is_due();
  void start_moves();
  void start_operations();
  void note_peaks();

  const Workload& workload_;
  const Machine& machine_;
  const Plan& plan_;
  OperationTimes times_;

  std::map<OperationId, std::size_t> position_;
  std::map<OperationId, std::size_t> missing_;  // buffers that still have to arrive
  std::map<Copy, std::size_t> needed_by_;       // homes: what has to end before their memory is free
  std::map<DeviceId, std::set<std::tuple<float, std::size_t, OperationId>>> ready_;
  std::map<OperationId, OperationId> next_in_line_;  // on the same device, where devices wait
  std::map<LinkId, std::set<std::tuple<float, std::size_t, BufferId, DeviceId>>> queued_;
  std::multimap<double, OperationId> running_;
  std::multimap<double, Copy> moving_;
  std::map<DeviceId, std::size_t> busy_streams_;
  std::set<LinkId> busy_links_;
  std::map<DeviceId, double> held_, peak_;
  std::map<DeviceId, SmoothPeak> smooth_peaks_;
  double now_ = 0;
};

std::set<OperationId> Play::readers_on(BufferId buffer, DeviceId device) const {
  std::set<OperationId> readers;
  for (const OperationId reader : workload_.readers(buffer))
    if (plan_.device(reader) == device) readers.insert(reader);
  return readers;
}

std::set<DeviceId> Play::destinations(BufferId buffer) const {
  std::set<DeviceId> devices;
  for (const OperationId reader : workload_.readers(buffer)) devices.insert(plan_.device(reader));
  devices.erase(maker_device(buffer));
  return devices;
}

/// The copy in whose memory this one lives.
Copy Play::home_of(const Copy& copy) const {
  const auto& [id, device] = copy;
  const Buffer& buffer = workload_.buffer(id);
  if (is_resident(id) || !buffer.alias_of.valid() || maker_device(id) != device) return copy;
  const auto inputs = workload_.inputs(buffer.producer);
  const bool reads_target = std::ranges::find(inputs, buffer.alias_of) != inputs.end();
  const bool made_here = !is_resident(buffer.alias_of) && maker_device(buffer.alias_of) == device;
  return reads_target || made_here ? home_of({buffer.alias_of, device}) : copy;
}

double Play::seconds_of(const Copy& move) const {
  const Buffer& buffer = workload_.buffer(move.first);
  return buffer.transfer_seconds >= 0 ? buffer.transfer_seconds : machine_.link(link_of(move)).seconds(buffer.bytes);
}

void Play::prepare() {
  for (const OperationId operation : workload_.topological_order()) {
    position_[operation] = position_.size();
    std::set<BufferId> inputs;
    for (const BufferId input : workload_.inputs(operation))
      if (!is_resident(input)) inputs.insert(input);
    missing_[operation] = inputs.size();
  }
  if (plan_.waiting == Waiting::in_line) line_up();
  for (const auto& [operation, missing] : missing_)
    if (missing == 0) make_ready(operation);
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    const BufferId buffer(i);
    if (is_resident(buffer)) continue;
    const DeviceId maker = maker_device(buffer);
    const std::set<DeviceId> elsewhere = destinations(buffer);
    needed_by_[home_of({buffer, maker})] +=
        1 + readers_on(buffer, maker).size() + elsewhere.size() + (workload_.buffer(buffer).is_output ? 1 : 0);
    for (const DeviceId device : elsewhere) needed_by_[home_of({buffer, device})] += readers_on(buffer, device).size();
  }
}

void Play::make_ready(OperationId operation) {
  ready_[plan_.device(operation)].insert({-plan_.priority_of(plan_.group(operation)), position_[operation], operation});
}

void Play::line_up() {
  std::map<OperationId, std::size_t> missing = missing_;
  std::map<DeviceId, OperationId> last;
  std::set<std::tuple<float, std::size_t, OperationId>> ready;
  const auto add = [&](OperationId operation) {
    ready.insert({-plan_.priority_of(plan_.group(operation)), position_[operation], operation});
  };
  for (const auto& [operation, count] : missing)
    if (count == 0) add(operation);
  while (!ready.empty()) {
    const OperationId next = std::get<OperationId>(*ready.begin());
    ready.erase(ready.begin());
    if (const auto before = last.find(plan_.device(next)); before != last.end()) {
      next_in_line_[before->second] = next;
      ++missing_[next];
    }
    last[plan_.device(next)] = next;
    for (const BufferId output : workload_.outputs(next))
      for (std::size_t i = 0; i < machine_.device_count(); ++i)
        for (const OperationId reader : readers_on(output, DeviceId(i)))
          if (--missing[reader] == 0) add(reader);
  }
}

void Play::hold_residents() {
  std::set<Copy> residents;
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    BufferId root(i);
    if (!is_resident(root)) continue;
    for (BufferId up = workload_.buffer(root).alias_of; up.valid() && is_resident(up);
         up = workload_.buffer(root).alias_of)
      root = up;
    for (const OperationId reader : workload_.readers(BufferId(i))) residents.insert({root, plan_.device(reader)});
  }
  for (const auto& [buffer, device] : residents) held_[device] += std::ceil(workload_.buffer(buffer).bytes);
}

void Play::take(const Copy& copy) {
  if (home_of(copy) == copy) held_[copy.second] += std::ceil(workload_.buffer(copy.first).bytes);
}

void Play::let_go(const Copy& copy) {
  const Copy home = home_of(copy);
  if (is_resident(home.first)) return;
  if (--needed_by_[home] == 0) held_[home.second] -= std::ceil(workload_.buffer(home.first).bytes);
}

void Play::arrive(BufferId buffer, DeviceId device) {
  for (const OperationId reader : readers_on(buffer, device))
    if (--missing_[reader] == 0) make_ready(reader);
}

void Play::end(OperationId operation) {
  const DeviceId device = plan_.device(operation);
  --busy_streams_[device];
  for (const BufferId output : workload_.outputs(operation)) {
    for (const DeviceId to : destinations(output)) {
      const std::size_t row = output.index() * machine_.device_count() + to.index();
      const float priority = plan_.transfer_priority.empty() ? 0 : plan_.transfer_priority[row];
      queued_[link_of({output, to})].insert({-priority, position_[operation], output, to});
    }
    arrive(output, device);
    let_go({output, device});
  }
  const auto inputs = workload_.inputs(operation);
  for (const BufferId input : std::set<BufferId>(inputs.begin(), inputs.end()))
    if (!is_resident(input)) let_go({input, device});
  if (const auto next = next_in_line_.find(operation); next != next_in_line_.end())
    if (--missing_[next->second] == 0) make_ready(next->second);
}

bool Play::end_what_is_due() {
  bool any = false;
  for (; !running_.empty() && running_.begin()->first == now_; any = true) {
    const OperationId operation = running_.begin()->second;
    running_.erase(running_.begin());
    end(operation);
  }
  for (; !moving_.empty() && moving_.begin()->first == now_; any = true) {
    const Copy move = moving_.begin()->second;
    moving_.erase(moving_.begin());
    busy_links_.erase(link_of(move));
    arrive(move.first, move.second);
    let_go({move.first, maker_device(move.first)});
  }
  note_peaks();
  return any;
}

void Play::start_moves() {
  std::vector<DeviceId> receivers;
  for (auto& [link, queue] : queued_) {
    if (queue.empty() || busy_links_.contains(link)) continue;
    const auto [priority, position, buffer, to] = *queue.begin();
    queue.erase(queue.begin());
    busy_links_.insert(link);
    take({buffer, to});
    moving_.insert({now_ + seconds_of({buffer, to}), {buffer, to}});
    receivers.push_back(to);
  }
  for (const DeviceId receiver : receivers) smooth_peaks_[receiver].add(held_[receiver]);
  note_peaks();
}

void Play::start_operations() {
  for (auto& [device, queue] : ready_)
    while (!queue.empty() && busy_streams_[device] < machine_.kind(device).streams) {
      const OperationId operation = std::get<OperationId>(*queue.begin());
      queue.erase(queue.begin());
      ++busy_streams_[device];
      for (const BufferId output : workload_.outputs(operation)) take({output, device});
      smooth_peaks_[device].add(held_[device]);
      const double seconds =
          times_.at(operation, machine_.device(device).kind).alone(workload_.operation(operation).bytes);
      running_.insert({now_ + seconds, operation});
    }
  note_peaks();
}

void Play::note_peaks() {
  for (const auto& [device, bytes] : held_) peak_[device] = std::max(peak_[device], bytes);
}

Cost Play::run() {
  prepare();
  hold_residents();
  note_peaks();
  for (;;) {
    do end_what_is_due(), start_moves();
    while (!moving_.empty() && moving_.begin()->first == now_);
    start_operations();
    if (running_.empty() && moving_.empty()) break;
    now_ = std::min(running_.empty() ? INFINITY : running_.begin()->first,
                    moving_.empty() ? INFINITY : moving_.begin()->first);
  }
  Cost cost{.seconds = now_, .smooth_peak_bytes = joined(smooth_peaks_).bytes()};
  for (const auto& [device, bytes] : peak_) {
    cost.peak_bytes = std::max(cost.peak_bytes, bytes);
    cost.overflow_bytes += std::max(0.0, bytes - machine_.kind(device).memory_bytes);
  }
  if (cost.overflow_bytes > 0) cost.obstacle = Obstacle::memory;
  return cost;
}

}  // namespace

Cost PlainCost::evaluate(const Plan& plan) {
  HONE_CHECK(plan.group_of.empty(), "groups are not for this simulator");
  return Play(problem_, plan).run();
}

}  // namespace hone
