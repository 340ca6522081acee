#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plan/fuse/explain_fusion.h"

namespace hone {

/// Why two operations share a kernel in a plan or do not, in sentences.
std::string fusion_text(const Problem& problem, const Plan& plan, const FusionExplanation& found);
/// The same for programs.
nlohmann::ordered_json fusion_json(const Problem& problem, const Plan& plan, const FusionExplanation& found);

}  // namespace hone
