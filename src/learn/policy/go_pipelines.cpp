#include "learn/policy/go_pipelines.h"

#include <algorithm>

#include "learn/policy/go_features.h"
#include "plan/methods/list_decoder.h"
#include "plan/methods/pipeline_guidance.h"

namespace hone {

std::vector<Decisions> best_go_pipelines(Search& search, std::size_t count) {
  const GoTasks tasks = GoTasks::of(search.task());
  if (count == 0 || !tasks.place || tasks.fuse) return {};
  const Durations durations(search.problem());
  ListDecoder decoder(durations);
  std::vector<std::pair<Score, Decisions>> made;
  for (const ListGuidance& guidance : pipeline_guidance(durations)) {
    Decisions row = search.task().encode(decoder.decode(guidance, search.start()));
    const std::span<const Cost> costs = search.evaluate(row);
    if (costs.empty()) break;
    made.emplace_back(search.score(costs.front()), std::move(row));
  }
  std::ranges::stable_sort(made, {}, [](const auto& one) { return one.first; });
  made.resize(std::min(made.size(), count));
  std::vector<Decisions> rows;
  for (auto& [score, row] : made) rows.push_back(std::move(row));
  return rows;
}

}  // namespace hone
