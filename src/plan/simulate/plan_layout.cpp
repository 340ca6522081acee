#include "plan/simulate/plan_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

/// An unsigned number that ascends as a priority descends.
std::uint32_t urgency_of(float priority) {
  const auto bits = std::bit_cast<std::uint32_t>(priority + 0.0F);  // -0 becomes 0
  const std::uint32_t ascending = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  return ~ascending;
}

std::uint64_t only(std::uint32_t device) { return std::uint64_t{1} << device; }

}  // namespace

PlanLayout::PlanLayout(const SimulatorTables& tables) : tables_(tables) {
  const std::size_t operation_count = tables.operation_at.size();
  operations.resize(operation_count);
  next_member.resize(operation_count);
  seconds.resize(operation_count);
  audiences.resize(tables.buffers.size());
  slot_of_edge.resize(tables.readers.size());
  slots.resize(tables.rank_of_slot.size() + 1);
  routes.resize(tables.rank_of_slot.size());
  groups_on.resize(tables.machine.device_count());
  transfers_over.resize(tables.machine.links.size());
  resident_bytes.resize(tables.machine.device_count());
  leader_of_group_.resize(operation_count);
  last_member_.resize(operation_count);
  position_of_.resize(operation_count);
  for (std::uint32_t position = 0; position < operation_count; ++position)
    position_of_[tables.operation_at[position]] = position;
  read_by_.resize(tables.workload.buffer_count());
}

bool PlanLayout::lay_out(const Plan& plan) {
  grouped_ = !plan.group_of.empty();
  std::ranges::fill(groups_on, 0);
  std::ranges::fill(transfers_over, 0);
  if (grouped_ ? !place_groups(plan) : !place_operations(plan)) return false;
  place_residents();
  if (grouped_) place_copies<true>(plan), resolve_aliases<true>();
  else place_copies<false>(plan), resolve_aliases<false>();
  return true;
}

bool PlanLayout::place_operations(const Plan& plan) {
  const std::size_t kinds = tables_.machine.kinds.size();
  HONE_CHECK(plan.device_of.size() == operations.size(), "a plan for {} operations, not {}", plan.device_of.size(),
             operations.size());
  HONE_CHECK(plan.priority.empty() || plan.priority.size() == operations.size());
  group_count_ = operations.size();
  double total = 0;  // not a number as soon as one of the seconds is
  for (std::uint32_t position = 0; position < operations.size(); ++position) {
    const std::uint32_t operation = tables_.operation_at[position];
    const std::uint32_t device = plan.device_of[operation].index();
    if (device >= tables_.machine.device_count()) return false;
    ++groups_on[device];
    seconds[position] = tables_.seconds[position * kinds + tables_.machine.devices[device].kind];
    total += seconds[position];
    operations[position] = {.waiting = tables_.inputs.begin_of(position + 1) - tables_.inputs.begin_of(position),
                            .urgency = urgency_of(plan.priority.empty() ? 0 : plan.priority[operation]),
                            .leader = position,
                            .device = device};
  }
  return !std::isnan(total);
}

bool PlanLayout::place_groups(const Plan& plan) {
  gather_groups(plan);
  std::ranges::fill(read_by_, kNone);
  for (std::uint32_t position = 0; position < operations.size(); ++position) {
    const std::uint32_t first = operations[position].leader;
    const GroupId group = plan.group_of[tables_.operation_at[position]];
    const std::uint32_t device = plan.device_of[group.index()].index();
    if (device >= tables_.machine.device_count()) return false;
    operations[position].device = device;
    if (first == position) {
      ++groups_on[device];
      seconds[first] = group_seconds(first, tables_.machine.devices[device].kind);
      if (std::isnan(seconds[first])) return false;
      operations[first].urgency = urgency_of(plan.priority_of(group));
      operations[first].waiting = 0;
    }
    for (const std::uint32_t rank : tables_.inputs[position])
      operations[first].waiting += operations[tables_.buffers[rank].producer].leader == first ? 0 : 1;
  }
  return true;
}

void PlanLayout::gather_groups(const Plan& plan) {
  HONE_CHECK(plan.group_of.size() == operations.size(), "a plan for {} operations, not {}", plan.group_of.size(),
             operations.size());
  HONE_CHECK(plan.group_count() <= operations.size(), "{} groups for {} operations", plan.group_count(),
             operations.size());
  group_count_ = 0;
  std::fill_n(leader_of_group_.begin(), plan.group_count(), kNone);
  for (std::uint32_t position = 0; position < operations.size(); ++position) {
    const std::uint32_t group = plan.group_of[tables_.operation_at[position]].index();
    HONE_CHECK(group < plan.group_count(), "group {} of {}", group, plan.group_count());
    if (leader_of_group_[group] == kNone) {
      leader_of_group_[group] = position;
      ++group_count_;
    } else {
      next_member[last_member_[group]] = position;
    }
    last_member_[group] = position;
    next_member[position] = kNone;
    operations[position].leader = leader_of_group_[group];
  }
}

double PlanLayout::group_seconds(std::uint32_t first, std::size_t kind) {
  if (next_member[first] == kNone) return tables_.seconds[first * tables_.machine.kinds.size() + kind];
  double stated_seconds = 0, compute_seconds = 0, memory_seconds = 0, launch_seconds = 0;
  for (std::uint32_t member = first; member != kNone; member = next_member[member]) {
    const OperationId operation(tables_.operation_at[member]);
    const OperationTime& time = tables_.times.at(operation, kind);
    stated_seconds += time.stated_seconds;
    compute_seconds += time.compute_seconds;
    const double traffic = std::max(0.0, tables_.workload.operation(operation).bytes - saved_bytes(member, first));
    memory_seconds += traffic * time.seconds_per_byte;
    launch_seconds = std::max(launch_seconds, time.launch_seconds);
  }
  return stated_seconds + std::max(compute_seconds, memory_seconds) + launch_seconds;
}

double PlanLayout::saved_bytes(std::uint32_t position, std::uint32_t first) {
  const OperationId operation(tables_.operation_at[position]);
  double saved = 0;
  for (const BufferId input : tables_.workload.inputs(operation)) {
    const Buffer& buffer = tables_.workload.buffer(input);
    const bool made_here = buffer.producer.valid() && operations[position_of_[buffer.producer.index()]].leader == first;
    if (made_here || read_by_[input.index()] == first) saved += buffer.bytes;
    read_by_[input.index()] = first;
  }
  for (std::uint32_t rank = tables_.output_begin[position]; rank < tables_.output_begin[position + 1]; ++rank)
    if (is_internal(rank)) saved += tables_.buffers[rank].bytes;
  return saved;
}

void PlanLayout::place_residents() {
  std::ranges::fill(resident_bytes, 0);
  for (std::size_t i = 0; i < tables_.resident_bytes.size(); ++i) {
    std::uint64_t users = 0;
    for (const std::uint32_t reader : tables_.resident_readers[i]) users |= only(operations[reader].device);
    for (; users != 0; users &= users - 1)
      resident_bytes[static_cast<std::size_t>(std::countr_zero(users))] += tables_.resident_bytes[i];
  }
}

template <bool kGrouped>
void PlanLayout::place_copies(const Plan& plan) {
  for (std::uint32_t rank = 0; rank < audiences.size(); ++rank) {
    const SimulatorTables::BufferEntry& buffer = tables_.buffers[rank];
    const OperationState& producer = operations[buffer.producer];
    const std::uint32_t home = buffer.slot_begin;
    std::uint64_t users = 0;
    for (const std::uint32_t reader : tables_.readers_of(rank)) users |= only(operations[reader].device);
    const std::uint64_t destinations = users & ~only(producer.device);
    slot_on_[producer.device] = home;
    slots[home] = {.bytes = tables_.held_bytes[rank], .holder = home};
    const std::uint32_t received = destinations == 0 ? 0 : place_received(rank, destinations, plan);
    for (std::uint32_t i = buffer.reader_begin; i < buffer.reader_end; ++i) {
      const std::uint32_t reader = tables_.readers[i];
      const bool inside = kGrouped && operations[reader].leader == producer.leader;
      const std::uint32_t slot = slot_on_[operations[reader].device];
      slot_of_edge[tables_.edge_of_reader[i]] = inside ? kNone : slot;
      if (!inside) routes[slot].reader = slots[slot].pending++ == 0 ? reader : kNone;
    }
    const std::uint32_t local = slots[home].pending;
    audiences[rank] = {.destinations = destinations, .local = local, .local_reader = routes[home].reader};
    slots[home].pending = local + 1 + tables_.is_output[rank] + received;
    if (kGrouped && destinations == 0 && is_internal(rank)) slots[home].bytes = 0;
  }
  slots.back() = {.bytes = 0, .holder = static_cast<std::uint32_t>(slots.size() - 1), .pending = UINT32_MAX};
}

/// Makes room for the copies that other devices receive; how many.
std::uint32_t PlanLayout::place_received(std::uint32_t rank, std::uint64_t destinations, const Plan& plan) {
  const SimulatorTables::BufferEntry& buffer = tables_.buffers[rank];
  const std::uint32_t from = operations[buffer.producer].device;
  const std::size_t device_count = tables_.machine.device_count();
  std::uint32_t slot = buffer.slot_begin;
  for (std::uint64_t left = destinations; left != 0; left &= left - 1) {
    const auto to = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t link = tables_.machine.routes[from * device_count + to].index();
    const float priority =
        plan.transfer_priority.empty() ? 0 : plan.transfer_priority[tables_.buffer_at[rank] * device_count + to];
    slot_on_[to] = ++slot;
    slots[slot] = {.bytes = tables_.held_bytes[rank], .holder = slot};
    routes[slot] = {.rank = rank,
                    .urgency = urgency_of(priority),
                    .link = static_cast<std::uint16_t>(link),
                    .from = static_cast<std::uint8_t>(from),
                    .to = static_cast<std::uint8_t>(to)};
    ++transfers_over[link];
  }
  return slot - buffer.slot_begin;
}

template <bool kGrouped>
void PlanLayout::resolve_aliases() {
  const auto resident = static_cast<std::uint32_t>(slots.size() - 1);
  for (const SimulatorTables::AliasEntry& alias : tables_.aliases) {
    const std::uint32_t device = operations[tables_.buffers[alias.rank].producer].device;
    const bool target_moves = alias.target != kNone;
    const bool same_home = target_moves && operations[tables_.buffers[alias.target].producer].device == device;
    if (!alias.producer_reads_it && !same_home) continue;
    Slot& own = slots[tables_.buffers[alias.rank].slot_begin];
    own.holder = target_moves ? slots[slot_of(alias.target, device)].holder : resident;
    own.bytes = 0;
    if (own.holder == resident) continue;
    Slot& holder = slots[own.holder];
    holder.pending += own.pending;
    if (kGrouped && !is_internal(alias.rank)) holder.bytes = tables_.held_bytes[tables_.rank_of_slot[own.holder]];
  }
}

std::uint32_t PlanLayout::slot_of(std::uint32_t rank, std::uint32_t device) const {
  const SimulatorTables::BufferEntry& buffer = tables_.buffers[rank];
  if (operations[buffer.producer].device == device) return buffer.slot_begin;
  const std::uint64_t before = audiences[rank].destinations & (only(device) - 1);
  return buffer.slot_begin + 1 + static_cast<std::uint32_t>(std::popcount(before));
}

bool PlanLayout::is_internal(std::uint32_t rank) const {
  const std::span<const std::uint32_t> readers = tables_.readers_of(rank);
  const std::uint32_t first = operations[tables_.buffers[rank].producer].leader;
  return tables_.is_output[rank] == 0 && !readers.empty() &&
         std::ranges::all_of(readers, [&](std::uint32_t reader) { return operations[reader].leader == first; });
}

}  // namespace hone
