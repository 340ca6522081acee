#include "plan/methods/waiting_start.h"

#include <algorithm>

namespace hone {

bool decides_waiting(const Task& task) {
  return std::ranges::any_of(task.sites(), [](const Site& site) { return site.field == PlanField::waiting; });
}

Plan waiting_start(const Search& search) {
  Plan start = by_operation(search.start(), search.problem().workload);
  if (decides_waiting(search.task())) start.waiting = Waiting::in_line;
  return start;
}

}  // namespace hone
