#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cli/plan_request.h"
#include "plan/memory/plan_offsets.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/objective_cost.h"

namespace hone {

/// The problem of a request with everything that judging plans for it takes.
class PlanCase {
 public:
  explicit PlanCase(const PlanRequest& request);

  /// With the optimiser that is used.
  const PlanRequest& request() const { return request_; }
  const Problem& problem() const { return problem_; }
  const Bounds& bounds() const { return bounds_; }
  const Cost& before() const { return before_; }
  double bound() const { return bound_; }
  /// A value of the objective as its source would put it.
  double in_units_of_source(double value) const;

  Solution solve(Optimizer& optimizer, std::uint64_t seed, Journal* journal = nullptr) const;
  /// Gives all buffers of a plan that fits their offsets.
  std::vector<DeviceArena> lay_out(Solution& solution) const;
  /// Names one run of one optimiser.
  std::uint64_t fingerprint_of_run(std::string_view optimizer, std::uint64_t seed) const;

 private:
  PlanCase(const PlanRequest& request, PlanningSource source);

  PlanRequest request_;
  double unit_seconds_;
  Problem problem_;
  std::unique_ptr<Task> task_;
  ObjectiveCost evaluator_;
  Bounds bounds_;
  Plan start_;
  Cost before_;
  double bound_ = 0;
};

}  // namespace hone
