#include "plan/search/task.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace hone {
namespace {

class JoinedTask final : public Task {
 public:
  JoinedTask(std::vector<std::unique_ptr<Task>> parts, const Workload& workload, const Plan& start)
      : parts_(std::move(parts)), workload_(workload), start_(start) {
    // What decides groups comes last.
    std::ranges::stable_partition(parts_, [](const auto& part) { return !part->decides_groups(); });
    for (const std::unique_ptr<Task>& part : parts_) {
      const std::size_t before = sites().size();
      for (const Site& site : part->sites()) add_site(site);
      for (std::size_t i = 0; i < workload.operation_count(); ++i)
        for (const std::uint32_t site : part->sites_about(OperationId(i))) relate(before + site, OperationId(i));
    }
  }

  bool decides_groups() const override { return parts_.back()->decides_groups(); }

  void apply(std::span<const float> keys, Plan& plan) const override {
    if (decides_groups()) {
      plan.group_of.clear();
      plan.copies.clear();
      plan.device_of = start_.device_of;
      plan.priority = start_.priority;
    }
    for (const std::unique_ptr<Task>& part : parts_) {
      part->apply(keys.first(part->sites().size()), plan);
      keys = keys.subspan(part->sites().size());
    }
  }

  Decisions encode(const Plan& plan) const override {
    const Plan alone = decides_groups() ? by_operation(plan, workload_) : plan;
    Decisions all;
    for (const std::unique_ptr<Task>& part : parts_) {
      const Decisions some = part->encode(part->decides_groups() ? plan : alone);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<Task>> parts_;
  const Workload& workload_;
  Plan start_;
};

/// Where the first of several tasks ends. A comma may also stand between parameters: then `name=value` follows it.
std::size_t end_of_first(std::string_view tasks) {
  for (std::size_t end = tasks.find_first_of("+,"); end != std::string_view::npos;
       end = tasks.find_first_of("+,", end + 1)) {
    const std::string_view next = tasks.substr(end + 1);
    const std::size_t mark = next.find_first_of("+,:=");
    if (tasks[end] == '+' || mark == std::string_view::npos || next[mark] != '=') return end;
  }
  return std::string_view::npos;
}

}  // namespace

void Task::relate(std::size_t site, OperationId operation) {
  if (operation.index() >= sites_about_.size()) sites_about_.resize(operation.index() + 1);
  sites_about_[operation.index()].push_back(static_cast<std::uint32_t>(site));
}

std::unique_ptr<Task> make_task(const Problem& problem, std::string_view names, const Plan& start) {
  const std::string_view all = names;
  std::vector<std::unique_ptr<Task>> tasks;
  for (bool more = true; more;) {
    const std::size_t end = end_of_first(names);
    tasks.push_back(TaskKind::make_by(names.substr(0, end), problem, start));
    more = end != std::string_view::npos;
    if (more) names.remove_prefix(end + 1);
  }
  const auto groupers = std::ranges::count_if(tasks, [](const auto& task) { return task->decides_groups(); });
  if (groupers > 1) fail_usage("--tasks: two of them decide which operations share a kernel");
  if (groupers == 1 && !start.group_of.empty()) return make_task(problem, all, by_operation(start, problem.workload));
  return std::make_unique<JoinedTask>(std::move(tasks), problem.workload, start);
}

std::size_t group_count(const Problem& problem, const Plan& start) {
  return start.group_of.empty() ? problem.workload.operation_count() : start.group_count();
}

/// What nobody cares about has the least priority of all, and is mostly what there is most of: it is left out of
/// sorting.
Decisions keys_in_order(std::span<const float> priorities) {
  if (priorities.empty()) return {};
  const float least = *std::ranges::min_element(priorities);
  std::vector<float> distinct;
  std::ranges::copy_if(priorities, std::back_inserter(distinct), [&](float priority) { return priority != least; });
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto count = static_cast<std::uint32_t>(distinct.size() + 1);
  Decisions keys(priorities.size(), key_of(0, count));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (priorities[i] == least) continue;
    const auto above = std::ranges::lower_bound(distinct, priorities[i]) - distinct.begin();
    keys[i] = key_of(static_cast<std::uint32_t>(above + 1), count);
  }
  return keys;
}

}  // namespace hone
