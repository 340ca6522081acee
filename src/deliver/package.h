#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "deliver/delivery.h"
#include "rewrite/search/node_origin.h"

namespace hone {

/// The runtime whose options a delivered model describes: the one that measured or, when none did, the usual one.
std::shared_ptr<const Runtime> described_runtime(const DeliveryRequest& request);

/// What a delivered model says about itself, in full; the file beside the model holds this.
nlohmann::ordered_json delivery_json(const Delivery& delivery, const DeliveryRequest& request, const Model& original);

/// The chosen model as it is written: with metadata that names the original by its SHA-256, the decisions, and the
/// options to run it with; nodes made by rules carry their origin where the IR version has room for it (10 and later).
/// No figures, so that the same decisions give the same bytes.
Model packaged(const Delivery& delivery, const DeliveryRequest& request);

/// The plan by which the chosen model runs, for the sizes that it was measured with; empty where nothing was measured,
/// or on a runtime that obeys none.
std::string packaged_plan(const Delivery& delivery, const DeliveryRequest& request);

/// `model.hone.onnx` has its plan in `model.hone.plan.json`.
std::filesystem::path plan_file(const std::filesystem::path& model_file);

/// `model.hone.onnx` has its description in `model.hone.json`.
std::filesystem::path description_file(const std::filesystem::path& model_file);
/// Whether a file is such a description.
bool is_description(const std::filesystem::path& file);

/// SHA-256 of the file a model was read from or, for one that was built, of its encoding.
std::string source_digest(const Model& original);

}  // namespace hone
