#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// One graph on one machine, on which rules and searches decide what shares a kernel.
class FusionContest {
 public:
  FusionContest(Workload workload, const Machine& machine);

  /// Seconds of what rules and searches come to at these budgets, by name.
  nlohmann::ordered_json run(const std::vector<std::uint64_t>& budgets, std::uint64_t seed) const;
  /// Where there is more than one device: all decided at once against one after another, at equal evaluations.
  nlohmann::ordered_json run_joint(std::uint64_t evaluations, std::uint64_t seed) const;
  /// The best search when a plan may hold no more than unfused, and by how much it does.
  nlohmann::ordered_json run_capped(std::uint64_t evaluations, std::uint64_t seed) const;

  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

/// Priority fusion and the best search against the best of all decisions of the form `fuse-edges`, where these are few
/// enough to try all; nothing where they are not.
nlohmann::ordered_json fusion_optimum(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed);

/// Milliseconds that deciding at random and evaluating take on average, in the given form.
double milliseconds_an_evaluation(const Problem& problem, std::string_view tasks, std::uint64_t seed);

}  // namespace hone
