#include "learn/policy/go_pipelines.h"

#include <algorithm>

#include "learn/policy/go_features.h"
#include "plan/methods/pipeline_rows.h"

namespace hone {

std::vector<Decisions> best_go_pipelines(Search& search, std::size_t count) {
  const GoTasks tasks = GoTasks::of(search.task());
  if (count == 0 || !tasks.place || tasks.fuse) return {};
  const Decisions rows = pipeline_rows(search);
  const auto sites = static_cast<std::ptrdiff_t>(search.task().sites().size());
  std::vector<std::pair<Score, Decisions>> made;
  for (auto row = rows.begin(); const Cost& cost : search.evaluate(rows)) {
    made.emplace_back(search.score(cost), Decisions(row, row + sites));
    row += sites;
  }
  std::ranges::stable_sort(made, {}, [](const auto& one) { return one.first; });
  made.resize(std::min(made.size(), count));
  std::vector<Decisions> best;
  for (auto& [score, row] : made) best.push_back(std::move(row));
  return best;
}

}  // namespace hone
