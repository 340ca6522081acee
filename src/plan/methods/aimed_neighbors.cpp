#include "plan/methods/aimed_neighbors.h"

#include <algorithm>
#include <map>

namespace hone {

AimedNeighbors::AimedNeighbors(const Search& search, const Aim& aim, std::optional<PlanField> only)
    : neighborhood_(search.problem(), search.task(), only), aim_(aim), rng_(search.rng()) {
  if (aim.by != "cost" && search.problem().workload.operation_count() > 0)
    source_ = BlameSourceKind::make_by(aim.by, search);
}

void AimedNeighbors::find_kernels(const Search& search, std::span<const float> center) {
  const Task& task = search.task();
  if (!task.decides_groups()) return;
  Plan plan = search.start();
  task.apply(center, plan);
  std::map<std::pair<GroupId, PlanField>, std::vector<std::uint32_t>> alike;
  for (std::size_t i = 0; i < search.problem().workload.operation_count(); ++i)
    for (const std::uint32_t site : task.sites_about(OperationId(i)))
      if (const PlanField field = task.sites()[site].field; field == PlanField::device || field == PlanField::priority)
        alike[{plan.group(OperationId(i)), field}].push_back(site);
  alike_.clear();
  for (auto& [kernel, sites] : alike)
    if (sites.size() > 1) alike_.push_back(std::move(sites));
  alike_of_.assign(task.sites().size(), static_cast<std::uint32_t>(alike_.size()));
  for (std::uint32_t i = 0; i < alike_.size(); ++i)
    for (const std::uint32_t site : alike_[i]) alike_of_[site] = i;
}

/// What changed for one operation of a kernel changes for all of them.
void AimedNeighbors::move_kernels(std::span<const float> center, std::span<float> row) const {
  if (alike_.empty()) return;
  for (std::size_t site = 0; site < row.size(); ++site) {
    if (row[site] == center[site] || alike_of_[site] == alike_.size()) continue;
    for (const std::uint32_t other : alike_[alike_of_[site]])
      if (row[other] == center[other]) row[other] = row[site];
  }
}

std::span<const Cost> AimedNeighbors::evaluate(Search& search, std::span<const float> center, std::int64_t count) {
  if (until_refresh_ <= 0) {
    if (aim_.focus > 0) neighborhood_.aim(source_ ? source_->blame(center) : search.blame(center), aim_.focus);
    find_kernels(search, center);
    until_refresh_ = aim_.refresh;
  }
  until_refresh_ -= count;
  rows_.clear();
  changes_.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    rows_.insert(rows_.end(), center.begin(), center.end());
    const std::span<float> row = std::span(rows_).last(center.size());
    changes_.push_back(neighborhood_.change(row, rng_));
    move_kernels(center, row);
  }
  return search.evaluate(rows_);
}

}  // namespace hone
