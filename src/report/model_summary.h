#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "graph/ir/model.h"
#include "graph/ops/infer.h"

namespace hone {

/// What `hone inspect` says of a model: sizes, costs, operators, what is dynamic and what hone cannot look into.
/// `known` is what inferring the model's types gave. Figures that need static shapes are null when some are not.
nlohmann::ordered_json summarize(const Model& model, const KnownContents& known);

/// The same for people.
std::string summary_text(const nlohmann::ordered_json& summary);

}  // namespace hone
