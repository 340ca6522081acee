#pragma once

#include "plan/problem/problem.h"
#include "plan/problem/timeline.h"
#include "plan/search/evaluator.h"

namespace hone {

/// Who makes a plan cost what it costs, by what happens when it is carried out. Of time: the operations of the critical
/// path, by their seconds and those waited for what they read. Of memory: at the moment when the device that is worst
/// off holds most, the operations that made what it holds, those that have still to read it, and the readers of its
/// weights, by bytes. Memory counts where the objective is memory or the plan does not fit. Nobody when the plan never
/// ends.
std::vector<Blame> blame_for(const Problem& problem, const Plan& plan, const Timeline& timeline);

}  // namespace hone
