#include "plan/memory/plan_offsets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/thread_pool.h"
#include "plan/memory/sections.h"
#include "plan/problem/group_contents.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes; a cache line
constexpr double kMostBytes = 0x1.0p61;  // what cannot be counted is refused by the planner
/// What laying out one device may cost: steps of the exact search, counted so that the result depends on nothing else.
constexpr std::uint64_t kSearchSteps = std::uint64_t{1} << 24;

/// The weight or input in whose memory a buffer lies, following aliases up to the first one; none when there is none.
BufferId resident_root(const Workload& workload, BufferId buffer) {
  while (buffer.valid() && workload.buffer(buffer).producer.valid()) buffer = workload.buffer(buffer).alias_of;
  while (buffer.valid()) {
    const BufferId up = workload.buffer(buffer).alias_of;
    if (!up.valid() || workload.buffer(up).producer.valid()) break;
    buffer = up;
  }
  return buffer;
}

/// A device's memory as a problem by itself, with the buffer behind each of its entries.
struct DeviceMemory {
  MemoryProblem problem;                     // in whole cache lines
  MemoryProblem live;                        // as many bytes as there are
  std::map<BufferId, std::size_t> entry_of;  // holders and residents

  void add(const Workload& workload, BufferId buffer, MemoryBuffer entry) {
    if (!entry_of.try_emplace(buffer, problem.buffers.size()).second) return;
    entry.name = workload.buffer(buffer).name;
    live.buffers.push_back(entry);
    entry.size = (entry.size + kAlignment - 1) / kAlignment * kAlignment;
    entry.alignment = kAlignment;
    problem.buffers.push_back(std::move(entry));
  }
};

class Offsets {
 public:
  Offsets(const Workload& workload, const Machine& machine, const Plan& plan)
      : workload_(workload),
        machine_(machine),
        plan_(plan),
        contents_(workload, plan),
        memories_(machine.device_count()) {
    Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
    lifetimes_ = simulator.lifetimes(plan);
    peaks_.assign(simulator.peak_bytes().begin(), simulator.peak_bytes().end());
    std::int64_t end = 1;
    for (const BufferLifetime& lifetime : lifetimes_) end = std::max(end, lifetime.upper);
    add_residents(end);
    for (const BufferLifetime& lifetime : lifetimes_)
      if (lifetime.holder == lifetime.buffer && lifetime.bytes > 0)
        memories_[lifetime.device.index()].add(
            workload, lifetime.buffer, {.lower = lifetime.lower, .upper = lifetime.upper, .size = lifetime.bytes});
  }

  PlanOffsets lay_out() {
    PlanOffsets offsets;
    offsets.offset_of.assign(workload_.buffer_count() * machine_.device_count(), -1);
    const std::vector<MemoryOutcome> outcomes = laid_out();
    for (std::size_t device = 0; device < memories_.size(); ++device) {
      const MemoryOutcome& outcome = outcomes[device];
      const auto live = static_cast<double>(live_bytes_bound(memories_[device].live));
      HONE_CHECK(std::abs(live - peaks_[device]) <= kRounding * live, "{} bytes live, {} simulated", live,
                 peaks_[device]);
      offsets.arenas.push_back({DeviceId(device), outcome.plan.height, outcome.bound});
      if (static_cast<double>(outcome.plan.height) <= machine_.kind(DeviceId(device)).memory_bytes)
        note(DeviceId(device), outcome.plan, offsets.offset_of);
    }
    return offsets;
  }

 private:
  /// By device; each is a problem by itself, so that threads share them out.
  std::vector<MemoryOutcome> laid_out() const {
    std::vector<MemoryOutcome> outcomes(memories_.size());
    ThreadPool pool(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, memories_.size()));
    pool.for_each(memories_.size(), [&](std::size_t, std::size_t device) {
      const MemoryProblem& problem = memories_[device].problem;
      outcomes[device] = plan_memory(problem, {.seconds = kNoEnd, .nodes = nodes_for(problem)});
    });
    return outcomes;
  }

  static constexpr double kNoEnd = 1e9;      // seconds
  static constexpr double kRounding = 1e-9;  // of sums of very large sizes

  void add_residents(std::int64_t end) {
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
      const BufferId buffer(i);
      if (workload_.buffer(buffer).producer.valid()) continue;
      const BufferId root = resident_root(workload_, buffer);
      const auto bytes = static_cast<std::int64_t>(std::ceil(std::min(workload_.buffer(root).bytes, kMostBytes)));
      if (bytes == 0) continue;
      for (const GroupId reader : contents_.readers(buffer))
        memories_[plan_.device_of[reader.index()].index()].add(workload_, root,
                                                               {.lower = 0, .upper = end, .size = bytes});
    }
  }

  /// A node of the search takes about a step for every section of every buffer.
  static std::uint64_t nodes_for(const MemoryProblem& problem) {
    std::uint64_t steps = 1;
    for (const SectionSpan& span : Sections(problem).span_of) steps += span.last - span.first;
    return kSearchSteps / steps;
  }

  /// Writes down where everything on a device lies, what shares the memory of another included.
  void note(DeviceId device, const MemoryPlan& plan, std::vector<std::int64_t>& offset_of) const {
    const DeviceMemory& memory = memories_[device.index()];
    const auto set = [&](BufferId buffer, BufferId holder) {
      const auto entry = memory.entry_of.find(holder);
      if (entry != memory.entry_of.end())
        offset_of[buffer.index() * machine_.device_count() + device.index()] = plan.offset_of[entry->second];
    };
    for (std::size_t i = 0; i < workload_.buffer_count(); ++i)
      if (!workload_.buffer(BufferId(i)).producer.valid()) set(BufferId(i), resident_root(workload_, BufferId(i)));
    for (const BufferLifetime& lifetime : lifetimes_)
      if (lifetime.device == device)
        set(lifetime.buffer, lifetime.holder.valid() ? lifetime.holder : resident_root(workload_, lifetime.buffer));
  }

  const Workload& workload_;
  const Machine& machine_;
  const Plan& plan_;
  GroupContents contents_;
  std::vector<DeviceMemory> memories_;  // by device
  std::vector<BufferLifetime> lifetimes_;
  std::vector<double> peaks_;  // by device
};

}  // namespace

PlanOffsets lay_out_memory(const Workload& workload, const Machine& machine, const Plan& plan) {
  return Offsets(workload, machine, plan).lay_out();
}

}  // namespace hone
