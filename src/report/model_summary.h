#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ir/model.h"

namespace hone {

/// What `hone inspect` says of a model: sizes, costs, operators, what is dynamic and what hone cannot look into. The model's
/// types must be inferred. Figures that need static shapes are null when some are not.
nlohmann::ordered_json summarize(const Model& model);

/// The same for people.
std::string summary_text(const nlohmann::ordered_json& summary);

}  // namespace hone
