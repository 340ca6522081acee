#pragma once

#include <optional>
#include <vector>

#include "graph/ops/datum.h"
#include "plan/machine/kernel_times.h"
#include "plan/problem/problem.h"
#include "run/runtime/runtime.h"

namespace hone {

/// A model as plans for a runtime speak of it.
Problem problem_on(const Runtime& runtime, const Model& model);

/// The plan that a model runs by, and how long its groups take.
struct GroupProfile {
  Problem problem;
  Plan plan;
  std::vector<double> seconds;  // by group
};

/// How groups are timed.
struct GroupTiming {
  RuntimeOptions options;
  std::size_t threads = 1;
  std::size_t runs = 20;
  std::vector<Datum> inputs;
};

/// Times the groups of a model whose types are static on a runtime that obeys plans, in a child process. Nothing where
/// the model runs by no plan there.
std::optional<GroupProfile> profile_groups(const Runtime& runtime, const Model& model, const GroupTiming& timing);

/// Adds the times of all groups to those of kernels.
void add_times(const GroupProfile& profile, KernelTimes& times);

}  // namespace hone
