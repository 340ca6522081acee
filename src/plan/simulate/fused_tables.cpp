#include "plan/simulate/fused_tables.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

FusedTables::FusedTables(const SimulatorTables& operations)
    : operations_(operations),
      groups_(operations, SimulatorTables::Empty()),
      timer_(operations.workload, operations.machine),
      number_of_(operations.operation_at.size()),
      home_(operations.operation_at.size()),
      copy_begin_(operations.operation_at.size() + 1),
      last_group_(operations.operation_at.size()),
      last_reader_(operations.buffers.size()),
      always_stored_(operations.is_output),
      stored_rank_(operations.buffers.size()),
      chains_(operations.buffers.size()) {
  for (std::uint32_t rank = 0; rank < always_stored_.size(); ++rank)
    if (operations.readers_of(rank).empty()) always_stored_[rank] = 1;
}

const SimulatorTables& FusedTables::build(const Plan& plan) {
  groups_.clear();
  number_groups(plan);
  gather_copies(plan);
  gather_instances();
  find_reads();
  add_buffers();
  add_reads();
  time_groups(plan);
  find_aliases();
  find_residents();
  return groups_;
}

void FusedTables::number_groups(const Plan& plan) {
  HONE_CHECK(plan.group_of.size() == home_.size(), "a plan for {} operations, not {}", plan.group_of.size(),
             home_.size());
  HONE_CHECK(plan.group_count() <= home_.size(), "{} groups for {} operations", plan.group_count(), home_.size());
  std::fill_n(number_of_.begin(), plan.group_count(), kNone);
  for (std::uint32_t position = 0; position < home_.size(); ++position) {
    const std::uint32_t group = plan.group_of[operations_.operation_at[position]].index();
    HONE_CHECK(group < plan.group_count(), "group {} of {}", group, plan.group_count());
    if (number_of_[group] == kNone) {
      number_of_[group] = static_cast<std::uint32_t>(groups_.operation_at.size());
      groups_.operation_at.push_back(group);
    }
    home_[position] = number_of_[group];
  }
}

void FusedTables::gather_copies(const Plan& plan) {
  copies_.clear();
  auto copy = plan.copies.begin();
  for (std::uint32_t operation = 0; operation < home_.size(); ++operation) {
    copy_begin_[operation] = static_cast<std::uint32_t>(copies_.size());
    for (; copy != plan.copies.end() && copy->operation == OperationId(operation); ++copy) {
      HONE_CHECK(copy->group.index() < plan.group_count() && number_of_[copy->group.index()] != kNone,
                 "a copy in a group without operations");
      copies_.push_back(number_of_[copy->group.index()]);
    }
  }
  copy_begin_.back() = static_cast<std::uint32_t>(copies_.size());
  HONE_CHECK(copy == plan.copies.end(), "copies that do not ascend");
}

/// Calls visit(group) for every group with a copy of the operation at a position.
template <class Visit>
void FusedTables::for_each_copy(std::uint32_t position, const Visit& visit) const {
  const std::uint32_t operation = operations_.operation_at[position];
  for (std::uint32_t i = copy_begin_[operation]; i < copy_begin_[operation + 1]; ++i) visit(copies_[i]);
}

/// Walking the positions in order puts the instances of every group in order.
void FusedTables::gather_instances() {
  instance_begin_.assign(groups_.operation_at.size() + 2, 0);
  for (const std::uint32_t group : home_) ++instance_begin_[group + 2];
  for (const std::uint32_t group : copies_) ++instance_begin_[group + 2];
  for (std::size_t i = 2; i < instance_begin_.size(); ++i) instance_begin_[i] += instance_begin_[i - 1];
  instances_.resize(home_.size() + copies_.size());
  instance_ids_.resize(instances_.size());
  for (std::uint32_t position = 0; position < home_.size(); ++position) {
    const auto add_to = [&](std::uint32_t group) {
      const std::uint32_t at = instance_begin_[group + 1]++;
      instances_[at] = position;
      instance_ids_[at] = OperationId(operations_.operation_at[position]);
    };
    add_to(home_[position]);
    for_each_copy(position, add_to);
  }
  instance_begin_.pop_back();
}

/// Instances of a group come in topological order, so that whatever makes an input in the group has been seen before.
void FusedTables::find_reads() {
  reads_.clear();
  stored_.assign(always_stored_.begin(), always_stored_.end());
  std::ranges::fill(last_group_, kNone);
  std::ranges::fill(last_reader_, kNone);
  for (std::uint32_t group = 0; group < groups_.operation_at.size(); ++group) {
    for (std::uint32_t i = instance_begin_[group]; i < instance_begin_[group + 1]; ++i) {
      last_group_[instances_[i]] = group;
      for (const std::uint32_t rank : operations_.inputs[instances_[i]]) {
        if (last_group_[operations_.buffers[rank].producer] == group || last_reader_[rank] == group) continue;
        last_reader_[rank] = group;
        stored_[rank] = 1;
        reads_.add(rank);
      }
    }
    reads_.end_list();
  }
}

void FusedTables::add_buffers() {
  stored_ids_.clear();
  groups_.output_begin.push_back(0);
  for (std::uint32_t group = 0; group < groups_.operation_at.size(); ++group) {
    outputs_.clear();
    for (std::uint32_t i = instance_begin_[group]; i < instance_begin_[group + 1]; ++i) {
      const std::uint32_t position = instances_[i];
      if (home_[position] != group) continue;
      for (std::uint32_t rank = operations_.output_begin[position]; rank < operations_.output_begin[position + 1];
           ++rank)
        if (stored_[rank] != 0) outputs_.push_back(rank);
    }
    if (outputs_.size() > 1)
      std::ranges::sort(outputs_, {}, [&](std::uint32_t rank) { return operations_.buffer_at[rank]; });
    for (const std::uint32_t rank : outputs_) {
      stored_rank_[rank] = static_cast<std::uint32_t>(groups_.buffers.size());
      stored_ids_.emplace_back(operations_.buffer_at[rank]);
      groups_.buffer_at.push_back(operations_.buffer_at[rank]);
      groups_.buffers.push_back({.bytes = operations_.buffers[rank].bytes,
                                 .transfer_seconds = operations_.buffers[rank].transfer_seconds,
                                 .producer = group});
      groups_.held_bytes.push_back(operations_.held_bytes[rank]);
      groups_.is_output.push_back(operations_.is_output[rank]);
    }
    groups_.output_begin.push_back(static_cast<std::uint32_t>(groups_.buffers.size()));
  }
}

void FusedTables::add_reads() {
  for (std::uint32_t group = 0; group < groups_.operation_at.size(); ++group) {
    for (const std::uint32_t rank : reads_[group]) groups_.inputs.add(stored_rank_[rank]);
    groups_.inputs.end_list();
  }
  groups_.link_buffers();
}

/// On a device that does not exist nothing needs a time.
void FusedTables::time_groups(const Plan& plan) {
  const Machine& machine = operations_.machine;
  const std::size_t kinds = machine.kinds.size();
  groups_.seconds.resize(groups_.operation_at.size() * kinds);
  for (std::uint32_t group = 0; group < groups_.operation_at.size(); ++group) {
    const std::size_t device = plan.device_of[groups_.operation_at[group]].index();
    if (device >= machine.device_count()) continue;
    const std::size_t kind = machine.devices[device].kind;
    const std::uint32_t first = instance_begin_[group], count = instance_begin_[group + 1] - first;
    const std::uint32_t output = groups_.output_begin[group];
    groups_.seconds[group * kinds + kind] =
        count == 1 ? operations_.seconds[instances_[first] * kinds + kind]
                   : timer_.seconds(
                         {.instances = std::span(instance_ids_).subspan(first, count),
                          .stored = std::span(stored_ids_).subspan(output, groups_.output_begin[group + 1] - output)},
                         kind);
  }
}

/// Targets come before what aliases them, so that their chains are known.
void FusedTables::find_aliases() {
  for (const SimulatorTables::AliasEntry& alias : operations_.aliases) {
    const Chain& chain = chains_[alias.rank] = chain_of(alias);
    if (stored_[alias.rank] == 0 || !chain.ends || (chain.skips && !chain.all_read)) continue;
    const std::uint32_t group = home_[operations_.buffers[alias.rank].producer];
    if (chain.target != kNone && holds_copy(group, operations_.buffers[chain.target].producer)) continue;
    groups_.aliases.push_back({.rank = stored_rank_[alias.rank],
                               .target = chain.target == kNone ? kNone : stored_rank_[chain.target],
                               .producer_reads_it = chain.all_read});
  }
}

FusedTables::Chain FusedTables::chain_of(const SimulatorTables::AliasEntry& alias) const {
  if (alias.target == kNone || stored_[alias.target] != 0)
    return {.target = alias.target, .ends = true, .all_read = alias.producer_reads_it};
  Chain chain = chains_[alias.target];  // ends nowhere if the target is no alias
  chain.skips = true;
  chain.all_read &= alias.producer_reads_it;
  return chain;
}

bool FusedTables::holds_copy(std::uint32_t group, std::uint32_t position) const {
  bool holds = false;
  for_each_copy(position, [&](std::uint32_t other) { holds |= other == group; });
  return holds;
}

void FusedTables::find_residents() {
  for (std::size_t i = 0; i < operations_.resident_bytes.size(); ++i) {
    for (const std::uint32_t reader : operations_.resident_readers[i]) {
      groups_.resident_readers.add(home_[reader]);
      for_each_copy(reader, [&](std::uint32_t group) { groups_.resident_readers.add(group); });
    }
    groups_.resident_readers.end_list();
    groups_.resident_bytes.push_back(operations_.resident_bytes[i]);
  }
}

}  // namespace hone
