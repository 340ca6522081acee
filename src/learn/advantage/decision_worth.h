#pragma once

#include <vector>

#include "learn/advantage/decision_units.h"

namespace hone {

/// A decision of a plan and what it is worth.
struct DecisionWorth {
  PlanField field = PlanField::group;
  OperationId operation;  // that it is about; of kernels one that is read
  OperationId reader;     // of a read
  std::uint32_t option = 0, other = 0;
  FusionMeaning meaning = FusionMeaning::apart, other_meaning = FusionMeaning::apart;  // of kernels
  double worth = 0;  // more that the plan would cost with the other option, all else being as it is
};

/// What a plan costs, and some of its decisions.
struct ValuedDecisions {
  double value = 0;
  std::vector<DecisionWorth> decisions;
};

/// The decisions of a plan that matter most, the most valuable first: about kernels, or about devices where every
/// operation is a kernel of its own. A policy says which to look at, evaluating says what each is worth: what is fused
/// against apart, all else against the best other option. One decision an operation.
ValuedDecisions most_valuable_decisions(const Problem& problem, const Plan& plan, std::size_t count);

}  // namespace hone
