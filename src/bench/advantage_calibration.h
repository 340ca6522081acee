#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string_view>

#include "plan/problem/problem.h"

namespace hone {

/// How far the built-in policy's predictions hold on a graph: candidates drawn at what priority fusion decides and at
/// random decisions, predicted and evaluated.
nlohmann::ordered_json calibration_of_policy(const Problem& problem, std::string_view tasks, std::uint64_t seed);

/// The mean of several.
nlohmann::ordered_json mean_calibration(const std::deque<nlohmann::ordered_json>& found);

}  // namespace hone
