#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "learn/advantage/decision_worth.h"

namespace hone {

/// The decisions of a plan that matter most and what each is worth, as a table.
std::string worth_text(const Problem& problem, const ValuedDecisions& found);
/// The same for programs.
nlohmann::ordered_json worth_json(const Problem& problem, const ValuedDecisions& found);

}  // namespace hone
