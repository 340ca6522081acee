#pragma once

#include <string>
#include <vector>

#include "plan/problem/timeline.h"

namespace hone {

/// How one device spends the time until the last group has finished.
struct DeviceSummary {
  std::size_t groups = 0;
  double busy_seconds = 0;     // summed over streams
  double idle_seconds = 0;     // busy + idle = streams * makespan
  double sending_seconds = 0;  // its tensors on their way out
  double peak_bytes = 0;
};

/// Groups that determine the makespan: each starts when the one before it, or a transfer after that one, has finished.
struct CriticalStep {
  GroupId group;
  double waited_seconds = 0;  // for a transfer, between the step before and this one
  double seconds = 0;
};

/// A share of the critical path.
struct CriticalShare {
  std::string op;
  std::size_t groups = 0;
  double seconds = 0;
};

std::vector<DeviceSummary> summarize(const Machine& machine, const Timeline& timeline);
std::vector<CriticalStep> critical_path(const Workload& workload, const Plan& plan, const Timeline& timeline);
/// The path added up by what groups contain (see GroupContents::text), the longest first; transfers as `transfer`.
std::vector<CriticalShare> critical_shares(const Workload& workload, const Plan& plan,
                                           const std::vector<CriticalStep>& path);

}  // namespace hone
