#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// One rule or search that decides what shares a kernel.
struct FusionTrial {
  std::string name;
  std::uint64_t evaluations = 0;  // about how many it makes
  /// What it came to, as fields of the row about its graph and machine.
  std::function<nlohmann::ordered_json(const Problem&, std::uint64_t seed)> run;
};

/// Rules, searches at these budgets, the best search when a plan may hold no more than unfused and, where there is more
/// than one device, all decided at once against one after another, at equal evaluations.
std::vector<FusionTrial> fusion_trials(const Machine& machine, std::span<const std::uint64_t> budgets);

/// Priority fusion and the best search against the best of all decisions of the form `fuse-edges`, where these are few
/// enough to try all; nothing where they are not.
nlohmann::ordered_json fusion_optimum(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed);

/// Milliseconds that deciding at random and evaluating take on average, in the given form.
double milliseconds_an_evaluation(const Problem& problem, std::string_view tasks, std::uint64_t seed);

}  // namespace hone
