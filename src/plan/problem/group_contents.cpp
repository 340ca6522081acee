#include "plan/problem/group_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/distinct.h"

namespace hone {
namespace {

constexpr std::size_t kMostOperators = 4;   // said one by one
constexpr std::size_t kFirstOperators = 3;  // where there are more than that

FlatLists<GroupId> groups_of_copies(std::size_t operations, std::span<const Plan::Copy> copies) {
  FlatLists<GroupId> groups;
  for (std::size_t i = 0; i < operations; ++i) {
    for (; !copies.empty() && copies.front().operation == OperationId(i); copies = copies.subspan(1))
      groups.add(copies.front().group);
    groups.end_list();
  }
  return groups;
}

}  // namespace

GroupContents::GroupContents(const Workload& workload, const Plan& plan)
    : workload_(workload), plan_(plan), copied_to_(groups_of_copies(workload.operation_count(), plan.copies)) {
  instances_.resize(plan.group_count());
  for (const OperationId operation : workload.topological_order()) {
    instances_[plan.group(operation).index()].push_back(operation);
    for (const GroupId group : copied_to_[operation.index()]) instances_[group.index()].push_back(operation);
  }
}

bool GroupContents::runs(GroupId group, OperationId operation) const {
  return plan_.group(operation) == group || std::ranges::binary_search(copied_to_[operation.index()], group);
}

std::vector<BufferId> GroupContents::reads(GroupId group) const {
  std::vector<BufferId> found;
  for (const OperationId operation : instances(group))
    for (const BufferId buffer : workload_.inputs(operation)) {
      const OperationId producer = workload_.buffer(buffer).producer;
      if (!producer.valid() || !runs(group, producer)) found.push_back(buffer);
    }
  return distinct(std::move(found));
}

std::vector<BufferId> GroupContents::stores(GroupId group) const {
  std::vector<BufferId> found;
  for (const OperationId operation : instances(group))
    if (plan_.group(operation) == group)
      std::ranges::copy_if(workload_.outputs(operation), std::back_inserter(found),
                           [this](BufferId buffer) { return is_stored(buffer); });
  return found;
}

std::vector<GroupId> GroupContents::readers(BufferId id) const {
  const OperationId producer = workload_.buffer(id).producer;
  std::vector<GroupId> found;
  for (const OperationId reader : workload_.readers(id))
    any_group_of(reader, [&](GroupId group) {
      if (!producer.valid() || !runs(group, producer)) found.push_back(group);
      return false;
    });
  return distinct(std::move(found));
}

bool GroupContents::is_stored(BufferId id) const {
  const Buffer& buffer = workload_.buffer(id);
  const auto readers = workload_.readers(id);
  const auto read_from_memory = [&](GroupId group) { return !runs(group, buffer.producer); };
  return buffer.is_output || readers.empty() ||
         std::ranges::any_of(readers, [&](OperationId reader) { return any_group_of(reader, read_from_memory); });
}

std::string GroupContents::text(GroupId group) const {
  struct Operator {
    std::string_view name;
    std::size_t count = 0;
  };
  std::vector<Operator> operators;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const OperationId operation : instances(group)) {
    const std::string_view name = workload_.operation(operation).op;
    const auto [found, is_new] = index.emplace(name, operators.size());
    if (is_new) operators.push_back({.name = name});
    ++operators[found->second].count;
  }
  const bool is_cut = operators.size() > kMostOperators;
  std::string text;
  if (is_cut) operators.resize(kFirstOperators);
  for (const Operator& each : operators) {
    text += (text.empty() ? "" : "+") + std::string(each.name);
    if (each.count > 1) text += fmt::format("*{}", each.count);
  }
  return is_cut ? text + fmt::format("+... ({})", instances(group).size()) : text;
}

}  // namespace hone
