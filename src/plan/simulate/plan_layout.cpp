#include "plan/simulate/plan_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "plan/simulate/heap.h"

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

PlanLayout::PlanLayout(const SimulatorTables& the_operations)
    : operations_on(the_operations.machine.device_count()),
      transfers_over(the_operations.machine.links.size()),
      resident_bytes(the_operations.machine.device_count()),
      operation_tables_(the_operations),
      tables_(&the_operations) {
  make_room();
}

void PlanLayout::make_room() {
  operations.resize(tables_->operation_at.size());
  seconds.resize(tables_->operation_at.size());
  next_in_line.resize(tables_->operation_at.size());
  audiences.resize(tables_->buffers.size());
  slot_of_edge.resize(tables_->readers.size());
  slots.resize(tables_->rank_of_slot.size() + 1);
  routes.resize(tables_->rank_of_slot.size());
}

bool PlanLayout::lay_out(const Plan& plan) {
  tables_ = &operation_tables_;
  if (!plan.group_of.empty()) {
    if (!fused_tables_) fused_tables_.emplace(operation_tables_);
    tables_ = &fused_tables_->build(plan);
  }
  make_room();
  std::ranges::fill(operations_on, 0);
  std::ranges::fill(transfers_over, 0);
  if (!place_operations(plan)) return false;
  place_residents();
  place_copies(plan);
  resolve_aliases();
  std::ranges::fill(next_in_line, kNone);
  if (plan.waiting == Waiting::in_line) line_up();
  return true;
}

bool PlanLayout::place_operations(const Plan& plan) {
  const SimulatorTables& tables = *tables_;
  const std::size_t kinds = tables.machine.kinds.size();
  HONE_CHECK(!plan.group_of.empty() || plan.device_of.size() == operations.size(), "a plan for {} operations, not {}",
             plan.device_of.size(), operations.size());
  HONE_CHECK(plan.priority.empty() || plan.priority.size() == plan.device_of.size());
  double total = 0;  // not a number as soon as one of the seconds is
  for (std::uint32_t position = 0; position < operations.size(); ++position) {
    const std::uint32_t operation = tables.operation_at[position];
    const std::uint32_t device = plan.device_of[operation].index();
    if (device >= tables.machine.device_count()) return false;
    ++operations_on[device];
    seconds[position] = tables.seconds[position * kinds + tables.machine.devices[device].kind];
    total += seconds[position];
    operations[position] = {.waiting = tables.inputs.begin_of(position + 1) - tables.inputs.begin_of(position),
                            .urgency = urgency_of(plan.priority.empty() ? 0 : plan.priority[operation]),
                            .device = device};
  }
  return !std::isnan(total);
}

/// Puts operations in the line in which devices run them: each waits for the one before it on its device, as if it read
/// something of it.
void PlanLayout::line_up() {
  missing_.resize(operations.size());
  ready_.resize(operations.size());
  last_on_.fill(kNone);
  Heap<std::uint64_t> ready(ready_.data());
  const auto push = [&](std::uint32_t position) {
    ready.push(std::uint64_t{operations[position].urgency} << 32 | position);
  };
  for (std::uint32_t position = 0; position < operations.size(); ++position) {
    missing_[position] = operations[position].waiting;
    if (missing_[position] == 0) push(position);
  }
  while (!ready.empty()) {
    const auto next = static_cast<std::uint32_t>(ready.pop());
    std::uint32_t& last = last_on_[operations[next].device];
    if (last != kNone) {
      next_in_line[last] = next;
      ++operations[next].waiting;
    }
    last = next;
    for (std::uint32_t rank = tables_->output_begin[next]; rank < tables_->output_begin[next + 1]; ++rank)
      for (const std::uint32_t reader : tables_->readers_of(rank))
        if (--missing_[reader] == 0) push(reader);
  }
}

void PlanLayout::place_residents() {
  const SimulatorTables& tables = *tables_;
  std::ranges::fill(resident_bytes, 0);
  for (std::size_t i = 0; i < tables.resident_bytes.size(); ++i) {
    std::uint64_t users = 0;
    for (const std::uint32_t reader : tables.resident_readers[i]) users |= only(operations[reader].device);
    for (; users != 0; users &= users - 1)
      resident_bytes[static_cast<std::size_t>(std::countr_zero(users))] += tables.resident_bytes[i];
  }
}

void PlanLayout::place_copies(const Plan& plan) {
  const SimulatorTables& tables = *tables_;
  for (std::uint32_t rank = 0; rank < audiences.size(); ++rank) {
    const SimulatorTables::BufferEntry& buffer = tables.buffers[rank];
    const OperationState& producer = operations[buffer.producer];
    const std::uint32_t home = buffer.slot_begin;
    std::uint64_t users = 0;
    for (const std::uint32_t reader : tables.readers_of(rank)) users |= only(operations[reader].device);
    const std::uint64_t destinations = users & ~only(producer.device);
    slot_on_[producer.device] = home;
    slots[home] = {.bytes = tables.held_bytes[rank], .holder = home};
    const std::uint32_t received = destinations == 0 ? 0 : place_received(rank, destinations, plan);
    for (std::uint32_t i = buffer.reader_begin; i < buffer.reader_end; ++i) {
      const std::uint32_t reader = tables.readers[i], slot = slot_on_[operations[reader].device];
      slot_of_edge[tables.edge_of_reader[i]] = slot;
      routes[slot].reader = slots[slot].pending++ == 0 ? reader : kNone;
    }
    const std::uint32_t local = slots[home].pending;
    audiences[rank] = {.destinations = destinations, .local = local, .local_reader = routes[home].reader};
    slots[home].pending = local + 1 + tables.is_output[rank] + received;
  }
  slots.back() = {.bytes = 0, .holder = static_cast<std::uint32_t>(slots.size() - 1), .pending = UINT32_MAX};
}

/// Makes room for the copies that other devices receive; how many.
std::uint32_t PlanLayout::place_received(std::uint32_t rank, std::uint64_t destinations, const Plan& plan) {
  const SimulatorTables& tables = *tables_;
  const SimulatorTables::BufferEntry& buffer = tables.buffers[rank];
  const std::uint32_t from = operations[buffer.producer].device;
  const std::size_t device_count = tables.machine.device_count();
  std::uint32_t slot = buffer.slot_begin;
  for (std::uint64_t left = destinations; left != 0; left &= left - 1) {
    const auto to = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t link = tables.machine.routes[from * device_count + to].index();
    const float priority =
        plan.transfer_priority.empty() ? 0 : plan.transfer_priority[tables.buffer_at[rank] * device_count + to];
    slot_on_[to] = ++slot;
    slots[slot] = {.bytes = tables.held_bytes[rank], .holder = slot};
    routes[slot] = {.rank = rank,
                    .urgency = urgency_of(priority),
                    .link = static_cast<std::uint16_t>(link),
                    .from = static_cast<std::uint8_t>(from),
                    .to = static_cast<std::uint8_t>(to)};
    ++transfers_over[link];
  }
  return slot - buffer.slot_begin;
}

void PlanLayout::resolve_aliases() {
  const SimulatorTables& tables = *tables_;
  const auto resident = static_cast<std::uint32_t>(slots.size() - 1);
  for (const SimulatorTables::AliasEntry& alias : tables.aliases) {
    const std::uint32_t device = operations[tables.buffers[alias.rank].producer].device;
    const bool target_moves = alias.target != kNone;
    const bool same_home = target_moves && operations[tables.buffers[alias.target].producer].device == device;
    if (!alias.producer_reads_it && !same_home) continue;
    Slot& own = slots[tables.buffers[alias.rank].slot_begin];
    own.holder = target_moves ? slots[slot_of(alias.target, device)].holder : resident;
    own.bytes = 0;
    if (own.holder != resident) slots[own.holder].pending += own.pending;
  }
}

std::uint32_t PlanLayout::slot_of(std::uint32_t rank, std::uint32_t device) const {
  const SimulatorTables::BufferEntry& buffer = tables_->buffers[rank];
  if (operations[buffer.producer].device == device) return buffer.slot_begin;
  const std::uint64_t before = audiences[rank].destinations & (only(device) - 1);
  return buffer.slot_begin + 1 + static_cast<std::uint32_t>(std::popcount(before));
}

}  // namespace hone
