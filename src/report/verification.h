#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/verify/equivalence.h"

namespace hone {

/// `{status, inputs, outputs: [{name, max_abs, max_rel, cos, max_error, max_own_error}], reason, tolerance}`.
nlohmann::ordered_json verification_json(const Equivalence& result);
/// A table with a verdict line.
std::string verification_text(const Equivalence& result);

}  // namespace hone
