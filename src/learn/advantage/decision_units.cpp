#include "learn/advantage/decision_units.h"

#include <algorithm>

namespace hone {
namespace {

/// Whether an operation reads anything that another makes.
bool reads_from(const Workload& workload, OperationId reader, OperationId producer) {
  return std::ranges::any_of(workload.inputs(reader),
                             [&](BufferId input) { return workload.buffer(input).producer == producer; });
}

}  // namespace

FusionMeaning fusion_meaning(std::uint32_t option, std::uint32_t options) {
  if (option == 0) return FusionMeaning::apart;
  if (options == 2) return FusionMeaning::inlined;                                      // the task `fuse`
  if (options == kKeyOptions) return static_cast<FusionMeaning>(std::min(option, 2U));  // `fuse-edges`
  return FusionMeaning::merged;                                                         // `fuse-levels`
}

DecisionUnits::DecisionUnits(const Problem& problem, const Task& task) : about_(problem.workload.operation_count()) {
  std::vector<std::vector<OperationId>> operations(task.sites().size());
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    for (const std::uint32_t site : task.sites_about(OperationId(i))) operations[site].push_back(OperationId(i));
  for (std::uint32_t site = 0; site < task.sites().size(); ++site)
    add_single(site, task.sites()[site], operations[site], problem.workload);
  singles_ = units_.size();
  add_bundles();
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit)
    for (const OperationId operation : {units_[unit].operation, units_[unit].reader})
      if (operation.valid()) about_[operation.index()].push_back(unit);
}

void DecisionUnits::add_single(std::uint32_t site, const Site& about, std::span<const OperationId> operations,
                               const Workload& workload) {
  if (about.options == 1) return;
  Unit unit{.field = about.field, .options = about.options == 0 ? kKeyOptions : about.options};
  if (!operations.empty()) unit.operation = operations.front();
  if (about.field == PlanField::group && operations.size() == 2) {
    const bool ascends = reads_from(workload, operations[1], operations[0]);
    unit.operation = operations[ascends ? 0 : 1];
    unit.reader = operations[ascends ? 1 : 0];
  }
  units_.push_back(unit);
  sites_.add(site);
  sites_.end_list();
}

/// Reads of one operation follow one another.
void DecisionUnits::add_bundles() {
  for (std::size_t first = 0; first < singles_;) {
    std::size_t end = first + 1;
    const Unit unit = units_[first];
    while (end < singles_ && unit.reader.valid() && units_[end].reader.valid() &&
           units_[end].operation == unit.operation)
      ++end;
    if (end - first > 1) {
      units_.push_back({.field = unit.field, .options = unit.options, .operation = unit.operation});
      for (std::size_t each = first; each < end; ++each) sites_.add(sites_[each].front());
      sites_.end_list();
    }
    first = end;
  }
}

std::span<const std::uint32_t> DecisionUnits::about(OperationId operation) const {
  if (!operation.valid()) return {};
  return about_[operation.index()];
}

std::vector<std::uint32_t> DecisionUnits::within(std::span<const OperationId> operations) const {
  std::vector<std::uint32_t> found;
  for (const OperationId operation : operations)
    for (const std::uint32_t unit : about(operation)) {
      const OperationId reader = units_[unit].reader;
      if (unit >= singles_ || units_[unit].operation != operation) continue;
      if (!reader.valid() || std::ranges::find(operations, reader) != operations.end()) found.push_back(unit);
    }
  return found;
}

bool DecisionUnits::has_option(std::span<const float> row, std::size_t unit, std::uint32_t option) const {
  return std::ranges::all_of(sites_[unit],
                             [&](std::uint32_t site) { return option_of(row[site], units_[unit].options) == option; });
}

void DecisionUnits::set(std::span<float> row, std::size_t unit, std::uint32_t option) const {
  for (const std::uint32_t site : sites_[unit]) row[site] = key_of(option, units_[unit].options);
}

std::vector<std::uint32_t> DecisionUnits::neighbourhood(std::size_t unit, std::int64_t steps, std::size_t most) const {
  std::vector<std::uint32_t> found{static_cast<std::uint32_t>(unit)};
  for (std::size_t begin = 0; steps > 0 && begin < found.size(); --steps) {
    const std::size_t end = found.size();
    for (; begin < end; ++begin)
      for (const OperationId operation : {units_[found[begin]].operation, units_[found[begin]].reader})
        for (const std::uint32_t next : about(operation)) {
          if (found.size() >= most) return found;
          if (next < singles_ && std::ranges::find(found, next) == found.end()) found.push_back(next);
        }
  }
  return found;
}

}  // namespace hone
