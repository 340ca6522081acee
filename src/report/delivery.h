#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "deliver/delivery.h"

namespace hone {

/// Decisions as a table: what, outcome, speed-up, why. `decisions` is what `decisions_json` gives.
std::string decisions_text(const nlohmann::ordered_json& decisions);

/// What `hone optimize` tells people: decisions, times before and after, how it was verified, and the verdict.
std::string delivery_text(const Delivery& delivery, const nlohmann::ordered_json& description);

/// `--json`: the description of the delivery with the times and the verification in full.
nlohmann::ordered_json delivery_result_json(const Delivery& delivery, const nlohmann::ordered_json& description);

}  // namespace hone
