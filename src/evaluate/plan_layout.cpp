#include "evaluate/plan_layout.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

constexpr std::uint32_t kNone = SimulatorTables::kNone;

/// An unsigned number that ascends as a priority descends.
std::uint32_t urgency_of(float priority) {
  const auto bits = std::bit_cast<std::uint32_t>(priority + 0.0F);  // -0 becomes 0
  const std::uint32_t ascending = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  return ~ascending;
}

}  // namespace

PlanLayout::PlanLayout(const SimulatorTables& tables) : tables_(tables) {
  const std::size_t works = tables.work_at.size();
  const std::size_t all_slots = tables.rank_of_slot.size();
  device.resize(works);
  leader.resize(works);
  next_member.resize(works);
  waiting.resize(works);
  urgency.resize(works);
  seconds.resize(works);
  devices_with.resize(tables.buffer_at.size());
  slots.resize(all_slots + 1);
  device_of_slot.resize(all_slots);
  transfer_urgency.resize(all_slots);
  groups_on.resize(tables.machine.device_count());
  transfers_over.resize(tables.machine.links.size());
  resident_bytes.resize(tables.machine.device_count());
  leader_of_group_.resize(works);
  last_member_.resize(works);
  position_of_.resize(works);
  for (std::uint32_t position = 0; position < works; ++position) position_of_[tables.work_at[position]] = position;
  read_by_.resize(tables.workload.buffer_count());
}

bool PlanLayout::lay_out(const Plan& plan) {
  grouped_ = !plan.group_of.empty();
  std::ranges::fill(groups_on, 0);
  std::ranges::fill(transfers_over, 0);
  if (plan.transfer_priority.empty() && !transfers_alike_) std::ranges::fill(transfer_urgency, urgency_of(0));
  transfers_alike_ = plan.transfer_priority.empty();
  if (grouped_ ? !place_groups(plan) : !place_works(plan)) return false;
  place_residents();
  if (grouped_) place_copies<true>(plan), resolve_aliases<true>();
  else place_copies<false>(plan), resolve_aliases<false>();
  return true;
}

bool PlanLayout::place_works(const Plan& plan) {
  const std::size_t works = tables_.work_at.size();
  const std::size_t kinds = tables_.machine.kinds.size();
  HONE_CHECK(plan.device_of.size() == works, "a plan for {} works, not {}", plan.device_of.size(), works);
  HONE_CHECK(plan.priority.empty() || plan.priority.size() == works);
  group_count_ = works;
  double total = 0;  // not a number as soon as one of the seconds is
  for (std::size_t position = 0; position < works; ++position) {
    const std::uint32_t work = tables_.work_at[position];
    const std::uint32_t chosen = plan.device_of[work].index();
    if (chosen >= tables_.machine.device_count()) return false;
    device[position] = static_cast<std::uint8_t>(chosen);
    ++groups_on[chosen];
    seconds[position] = tables_.seconds[position * kinds + tables_.machine.devices[chosen].kind];
    total += seconds[position];
    urgency[position] = urgency_of(plan.priority.empty() ? 0 : plan.priority[work]);
  }
  std::ranges::copy(tables_.input_counts, waiting.begin());
  return !std::isnan(total);
}

bool PlanLayout::place_groups(const Plan& plan) {
  gather_groups(plan);
  std::ranges::fill(read_by_, kNone);
  for (std::uint32_t position = 0; position < leader.size(); ++position) {
    const std::uint32_t first = leader[position];
    const GroupId group = plan.group_of[tables_.work_at[position]];
    const std::uint32_t chosen = plan.device_of[group.index()].index();
    if (chosen >= tables_.machine.device_count()) return false;
    device[position] = static_cast<std::uint8_t>(chosen);
    if (first == position) {
      waiting[first] = 0;
      ++groups_on[chosen];
      seconds[first] = group_seconds(first, tables_.machine.devices[chosen].kind);
      if (std::isnan(seconds[first])) return false;
      urgency[first] = urgency_of(plan.priority_of(group));
    }
    for (const std::uint32_t rank : tables_.inputs[position])
      waiting[first] += in_group(tables_.producer[rank], first) ? 0 : 1;
  }
  return true;
}

void PlanLayout::gather_groups(const Plan& plan) {
  const std::size_t works = leader.size();
  HONE_CHECK(plan.group_of.size() == works, "a plan for {} works, not {}", plan.group_of.size(), works);
  HONE_CHECK(plan.group_count() <= works, "{} groups for {} works", plan.group_count(), works);
  group_count_ = 0;
  std::fill_n(leader_of_group_.begin(), plan.group_count(), kNone);
  for (std::uint32_t position = 0; position < works; ++position) {
    const std::uint32_t group = plan.group_of[tables_.work_at[position]].index();
    HONE_CHECK(group < plan.group_count(), "group {} of {}", group, plan.group_count());
    if (leader_of_group_[group] == kNone) {
      leader_of_group_[group] = position;
      ++group_count_;
    } else {
      next_member[last_member_[group]] = position;
    }
    last_member_[group] = position;
    next_member[position] = kNone;
    leader[position] = leader_of_group_[group];
  }
}

double PlanLayout::group_seconds(std::uint32_t first, std::size_t kind) {
  if (next_member[first] == kNone) return tables_.seconds[first * tables_.machine.kinds.size() + kind];
  double stated_seconds = 0, compute_seconds = 0, memory_seconds = 0, launch_seconds = 0;
  for (std::uint32_t member = first; member != kNone; member = next_member[member]) {
    const WorkId work(tables_.work_at[member]);
    const WorkTime& time = tables_.times.at(work, kind);
    stated_seconds += time.stated_seconds;
    compute_seconds += time.compute_seconds;
    const double traffic = std::max(0.0, tables_.workload.work(work).bytes - saved_bytes(member, first));
    memory_seconds += traffic * time.seconds_per_byte;
    launch_seconds = std::max(launch_seconds, time.launch_seconds);
  }
  return stated_seconds + std::max(compute_seconds, memory_seconds) + launch_seconds;
}

double PlanLayout::saved_bytes(std::uint32_t position, std::uint32_t first) {
  const WorkId work(tables_.work_at[position]);
  double saved = 0;
  for (const BufferId input : tables_.workload.inputs(work)) {
    const Buffer& buffer = tables_.workload.buffer(input);
    const bool made_here = buffer.producer.valid() && in_group(position_of_[buffer.producer.index()], first);
    if (made_here || read_by_[input.index()] == first) saved += buffer.bytes;
    read_by_[input.index()] = first;
  }
  for (std::uint32_t rank = tables_.output_begin[position]; rank < tables_.output_begin[position + 1]; ++rank)
    if (is_internal(rank)) saved += tables_.moved_bytes[rank];
  return saved;
}

void PlanLayout::place_residents() {
  std::ranges::fill(resident_bytes, 0);
  for (std::size_t i = 0; i < tables_.resident_bytes.size(); ++i) {
    std::uint64_t users = 0;
    for (const std::uint32_t reader : tables_.resident_readers[i]) users |= std::uint64_t{1} << device[reader];
    for (; users != 0; users &= users - 1)
      resident_bytes[static_cast<std::size_t>(std::countr_zero(users))] += tables_.resident_bytes[i];
  }
}

template <bool kGrouped>
void PlanLayout::place_copies(const Plan& plan) {
  for (std::uint32_t rank = 0; rank < devices_with.size(); ++rank) {
    const std::uint32_t producer = tables_.producer[rank];
    const std::uint64_t home = std::uint64_t{1} << device[producer];
    std::uint64_t all = home;
    std::uint32_t outside = 0;  // readers in other groups
    for (const std::uint32_t reader : tables_.readers[rank]) {
      all |= std::uint64_t{1} << device[reader];
      if (!kGrouped || leader[reader] != leader[producer]) ++outside;
    }
    devices_with[rank] = all;
    const std::uint32_t slot = tables_.slot_begin[rank];
    slots[slot] = {.bytes = tables_.bytes[rank], .holder = slot, .pending = 1 + outside + tables_.is_output[rank]};
    if (all != home) place_received<kGrouped>(rank, plan);
    else if (kGrouped && is_internal(rank)) slots[slot].bytes = 0;
  }
  slots.back() = {.bytes = 0, .holder = static_cast<std::uint32_t>(slots.size() - 1), .pending = UINT32_MAX};
}

template <bool kGrouped>
void PlanLayout::place_received(std::uint32_t rank, const Plan& plan) {
  const std::uint32_t producer = tables_.producer[rank];
  const std::uint32_t home = device[producer];
  const std::size_t device_count = tables_.machine.device_count();
  const std::uint64_t all = devices_with[rank];
  const std::uint32_t first = tables_.slot_begin[rank];
  const auto transfers = static_cast<std::uint32_t>(std::popcount(all)) - 1;
  std::uint32_t slot = first;
  for (std::uint64_t left = all; left != 0; left &= left - 1, ++slot) {
    const auto to = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t pending = to == home ? 1 + transfers + tables_.is_output[rank] : 0;
    slots[slot] = {.bytes = tables_.bytes[rank], .holder = slot, .pending = pending};
    device_of_slot[slot] = static_cast<std::uint8_t>(to);
    if (to == home) continue;
    ++transfers_over[tables_.machine.routes[home * device_count + to].index()];
    if (!plan.transfer_priority.empty())
      transfer_urgency[slot] = urgency_of(plan.transfer_priority[tables_.buffer_at[rank] * device_count + to]);
  }
  for (const std::uint32_t reader : tables_.readers[rank])
    if (!kGrouped || leader[reader] != leader[producer]) ++slots[first + count_below(all, device[reader])].pending;
}

template <bool kGrouped>
void PlanLayout::resolve_aliases() {
  const auto resident = static_cast<std::uint32_t>(slots.size() - 1);
  for (const SimulatorTables::AliasEntry& alias : tables_.aliases) {
    const std::uint32_t home = device[tables_.producer[alias.rank]];
    const bool target_moves = alias.target != kNone;
    const bool same_home = target_moves && device[tables_.producer[alias.target]] == home;
    if (!alias.producer_reads_it && !same_home) continue;
    Slot& own = slots[slot_of(alias.rank, home)];
    own.holder = target_moves ? slots[slot_of(alias.target, home)].holder : resident;
    own.bytes = 0;
    if (own.holder == resident) continue;
    Slot& holder = slots[own.holder];
    holder.pending += own.pending;
    if (kGrouped && !is_internal(alias.rank)) holder.bytes = tables_.bytes[tables_.rank_of_slot[own.holder]];
  }
}

bool PlanLayout::is_internal(std::uint32_t rank) const {
  const std::span<const std::uint32_t> readers = tables_.readers[rank];
  const std::uint32_t first = leader[tables_.producer[rank]];
  return tables_.is_output[rank] == 0 && !readers.empty() &&
         std::ranges::all_of(readers, [&](std::uint32_t reader) { return leader[reader] == first; });
}

}  // namespace hone
