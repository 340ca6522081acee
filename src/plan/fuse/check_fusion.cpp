#include "plan/fuse/check_fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "plan/fuse/fusion_graph.h"

namespace hone {
namespace {

using Sentence = std::optional<std::string>;

/// One group, asked literally.
class GroupCheck {
 public:
  GroupCheck(const Problem& problem, const std::map<OperationId, std::set<GroupId>>& homes, GroupId group,
             const std::set<OperationId>& members)
      : workload_(problem.workload), machine_(problem.machine), homes_(homes), group_(group), members_(members) {}

  Sentence run(const std::set<OperationId>& copies) const {
    for (const OperationId member : members_)
      if (loop(member).kind == Loop::Kind::none || !workload_.operation(member).seconds.empty())
        return flaw(member, "is not computed point by point");
    if (Sentence sentence = check_size()) return sentence;
    if (Sentence sentence = check_kinds(copies)) return sentence;
    if (Sentence sentence = check_alignment()) return sentence;
    if (Sentence sentence = check_loops()) return sentence;
    return check_scratch();
  }

 private:
  const Loop& loop(OperationId operation) const { return workload_.operation(operation).loop; }
  bool is(OperationId operation, Loop::Kind kind) const { return loop(operation).kind == kind; }

  Sentence flaw(OperationId operation, std::string_view what) const {
    return fmt::format("operation '{}' of group {} {}", workload_.operation(operation).name, group_.index(), what);
  }

  std::vector<OperationId> of_kind(Loop::Kind kind) const {
    std::vector<OperationId> found;
    for (const OperationId member : members_)
      if (is(member, kind)) found.push_back(member);
    return found;
  }

  /// Who reads an operation inside the group, and how.
  std::vector<std::pair<OperationId, Access>> inside_readers(OperationId operation) const {
    std::vector<std::pair<OperationId, Access>> readers;
    for (const BufferId output : workload_.outputs(operation))
      for (const OperationId reader : workload_.readers(output)) {
        if (!members_.contains(reader)) continue;
        const auto inputs = workload_.inputs(reader);
        const auto slot = static_cast<std::size_t>(std::ranges::find(inputs, output) - inputs.begin());
        readers.emplace_back(reader, loop(reader).reads.at(slot));
      }
    return readers;
  }

  bool is_stored(OperationId operation) const {
    for (const BufferId output : workload_.outputs(operation)) {
      if (workload_.buffer(output).is_output || workload_.readers(output).empty()) return true;
      for (const OperationId reader : workload_.readers(output))
        for (const GroupId group : homes_.at(reader))
          if (!homes_.at(operation).contains(group)) return true;
    }
    return false;
  }

  bool is_aligned(OperationId operation) const {
    if (const auto known = aligned_.find(operation); known != aligned_.end()) return known->second;
    const bool aligned = std::ranges::all_of(inside_readers(operation), [this](const auto& reader) {
      return reader.second != Access::other && is_aligned(reader.first);
    });
    return aligned_[operation] = aligned;
  }

  Sentence check_size() const {
    const FusionLimits limits;
    std::size_t reads = 0;
    for (const OperationId member : members_) {
      for (const BufferId input : workload_.inputs(member)) {
        const OperationId producer = workload_.buffer(input).producer;
        reads += producer.valid() && members_.contains(producer) ? 0 : 1;
      }
      if (workload_.operation(member).colocate != workload_.operation(*members_.begin()).colocate)
        return flaw(member, "must be on the device of operations outside it");
    }
    if (members_.size() > limits.operations)
      return fmt::format("group {} has {} operations, at most {} may be together", group_.index(), members_.size(),
                         limits.operations);
    if (reads > limits.reads)
      return fmt::format("group {} reads {} times from outside, at most {} may be", group_.index(), reads,
                         limits.reads);
    return std::nullopt;
  }

  Sentence check_kinds(const std::set<OperationId>& copies) const {
    const std::vector<OperationId> contractions = of_kind(Loop::Kind::contraction), rows = of_kind(Loop::Kind::rows),
                                   columns = of_kind(Loop::Kind::columns);
    if (contractions.size() > 1) return flaw(contractions[1], "is its second contraction");
    if (!contractions.empty() && copies.contains(contractions[0])) return flaw(contractions[0], "contracts once more");
    if (!contractions.empty() && !(rows.empty() && columns.empty()))
      return flaw(contractions[0], "contracts beside a reduction");
    if (!rows.empty() && !columns.empty()) return flaw(columns[0], "reduces columns where others reduce rows");
    for (const OperationId reduction : columns)
      if (!inside_readers(reduction).empty()) return flaw(reduction, "reduces columns and is read inside the group");
    return std::nullopt;
  }

  Sentence check_alignment() const {
    for (const Loop::Kind kind : {Loop::Kind::rows, Loop::Kind::contraction})
      for (const OperationId member : of_kind(kind)) {
        const bool at_points =
            kind == Loop::Kind::rows ||
            std::ranges::all_of(inside_readers(member), [](const auto& r) { return r.second == Access::same; });
        if (!is_aligned(member) || !at_points) return flaw(member, "is read at other places than it is computed");
      }
    return std::nullopt;
  }

  Sentence check_loops() const {
    double points = 0, rows = 0;
    for (const OperationId member : members_)
      if (!is(member, Loop::Kind::map) || is_stored(member)) points = std::max(points, loop(member).points);
    for (const OperationId member : members_) {
      const bool reduces = is(member, Loop::Kind::rows);
      if (reduces && rows != 0 && rows != loop(member).rows) return flaw(member, "has rows of its own");
      if (reduces) rows = loop(member).rows;
      if (!is(member, Loop::Kind::map) && loop(member).points != points) return flaw(member, "has points of its own");
    }
    for (const OperationId member : members_) {
      const double own = loop(member).points;
      if (!is(member, Loop::Kind::map) || !is_stored(member) || own == points || own == rows) continue;
      if (rows != 0) return flaw(member, "is stored from another loop");
      rows = own;
    }
    return std::nullopt;
  }

  Sentence check_scratch() const {
    const std::vector<OperationId> reductions = of_kind(Loop::Kind::rows);
    if (reductions.empty()) return std::nullopt;
    double least = std::numeric_limits<double>::infinity(), element_bytes = 0;
    bool spreads = false;
    for (const DeviceKind& kind : machine_.kinds) least = std::min(least, kind.scratch_bytes);
    for (const OperationId member : members_) {
      element_bytes = std::max(element_bytes, bit_width(workload_.operation(member).element) / 8.0);
      const Loop& own = loop(member);
      if (own.kind == Loop::Kind::rows && own.results == own.points && own.rows < own.points) spreads = true;
      if (is_aligned(member))
        for (const auto& reader : inside_readers(member)) spreads |= reader.second == Access::row;
    }
    const Loop& first = loop(reductions[0]);
    if (spreads && first.points / first.rows * element_bytes > least)
      return flaw(reductions[0], "needs rows that do not fit into scratch memory");
    return std::nullopt;
  }

  const Workload& workload_;
  const Machine& machine_;
  const std::map<OperationId, std::set<GroupId>>& homes_;  // groups that compute an operation
  GroupId group_;
  const std::set<OperationId>& members_;
  mutable std::map<OperationId, bool> aligned_;  // as far as asked for
};

}  // namespace

std::optional<std::string> check_fusion(const Problem& problem, const Plan& plan) {
  std::map<GroupId, std::set<OperationId>> members;
  std::map<OperationId, std::set<GroupId>> homes;
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
    members[plan.group(OperationId(i))].insert(OperationId(i));
    homes[OperationId(i)].insert(plan.group(OperationId(i)));
  }
  for (const Plan::Copy& copy : plan.copies) {
    members[copy.group].insert(copy.operation);
    homes[copy.operation].insert(copy.group);
  }
  std::set<OperationId> twice;
  for (const Plan::Copy& copy : plan.copies) twice.insert(copy.operation);
  for (const auto& [group, inside] : members) {
    if (inside.size() == 1) continue;
    if (Sentence sentence = GroupCheck(problem, homes, group, inside).run(twice)) return sentence;
  }
  return std::nullopt;
}

}  // namespace hone
