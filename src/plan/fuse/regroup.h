#pragma once

#include <vector>

#include "plan/fuse/fusion_graph.h"

namespace hone {

/// Groups that decisions can make.
struct Regrouped {
  Plan plan;
  std::vector<Refusal> refusals;  // by operation: why it is not with a reader that it was wanted with
};

/// Makes the groups of a plan anew by the rules that decisions go by, as near to it as these come. An operation, if
/// there is one, is to be computed by all its readers beyond that.
Regrouped regroup(const Problem& problem, const FusionGraph& graph, const Plan& wanted, OperationId inlined = {});

/// The plan with two groups as one under the number of the first; the other keeps its number and has no operation.
Plan with_one_group(Plan plan, GroupId kept, GroupId gone);

}  // namespace hone
