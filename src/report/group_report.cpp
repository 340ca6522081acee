#include "report/group_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/problem/group_contents.h"
#include "report/table.h"

namespace hone {
namespace {

constexpr std::size_t kMostKinds = 8;

/// Groups that contain the same.
struct KindOfGroup {
  std::string contents;
  std::size_t groups = 0, operations = 0;
};

}  // namespace

std::string size_text(const Workload& workload, const Plan& plan) {
  const std::string operations = fmt::format("{} operations", workload.operation_count());
  if (plan.group_of.empty() || plan.group_count() == workload.operation_count()) return operations;
  return fmt::format("{} in {} group{}", operations, plan.group_count(), plan.group_count() == 1 ? "" : "s");
}

std::string groups_text(const Workload& workload, const Plan& plan) {
  if (plan.group_of.empty()) return {};
  const GroupContents contents(workload, plan);
  std::map<std::string, KindOfGroup> by_contents;
  for (std::size_t i = 0; i < contents.group_count(); ++i) {
    const std::size_t operations = contents.instances(GroupId(i)).size();
    if (operations < 2) continue;
    KindOfGroup& kind = by_contents[contents.text(GroupId(i))];
    ++kind.groups;
    kind.operations += operations;
  }
  if (by_contents.empty()) return {};
  std::vector<KindOfGroup> kinds;
  for (auto& [text, kind] : by_contents) kinds.push_back({text, kind.groups, kind.operations});
  std::ranges::stable_sort(kinds, std::greater(), &KindOfGroup::operations);
  KindOfGroup others{.contents = "others"};
  for (; kinds.size() > kMostKinds; kinds.pop_back()) {
    others.groups += kinds.back().groups;
    others.operations += kinds.back().operations;
  }
  if (others.groups > 0) kinds.push_back(others);
  Table table({{"groups of several operations", Fit::wrapped}, "groups", "operations"});
  for (const KindOfGroup& kind : kinds)
    table.add({kind.contents, fmt::to_string(kind.groups), fmt::to_string(kind.operations)});
  return "\n" + table.text();
}

}  // namespace hone
