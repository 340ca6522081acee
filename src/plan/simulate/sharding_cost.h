#pragma once

#include <memory>
#include <vector>

#include "plan/problem/sharding_problem.h"
#include "plan/search/evaluator.h"

namespace hone {

/// Judges plans for a sharding problem: its cost takes the place of seconds, usage that of bytes. Prepares flat tables
/// once, shares them between threads, and allocates nothing while it evaluates.
class ShardingCost final : public Evaluator {
 public:
  explicit ShardingCost(std::shared_ptr<const ShardingProblem> problem);

  Cost evaluate(const Plan& plan) override;
  std::unique_ptr<Evaluator> fork() const override;

 private:
  struct Tables {
    std::shared_ptr<const ShardingProblem> problem;
    std::vector<std::uint32_t> begin, end;  // by node: rank of its times among all times; equal when it is never alive
    std::size_t times = 0;
  };

  explicit ShardingCost(std::shared_ptr<const Tables> tables);

  std::shared_ptr<const Tables> tables_;
  std::vector<double> change_at_;  // by rank of a time
};

}  // namespace hone
