#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// Inputs drawn by type: reals from a normal distribution, integers that are used as indices within what they index,
/// other integers 0 or 1, bytes over their whole range. Inputs that have an initialiser keep it. Types must be static;
/// throws InputError (usage) naming the dimension to fix otherwise.
std::vector<Datum> random_inputs(const Model& model, std::uint64_t seed);

/// Shapes of the inputs that come from files, by name, see given_inputs; those only that a model leaves open.
std::vector<std::pair<std::string, Shape>> given_shapes(const Model& model, const std::vector<std::string>& files);

/// Inputs from files: `name=file.npy`, `name=file.pb`, or a folder with `input_0.pb`, `input_1.pb`, ... as ONNX's test
/// data. Inputs without a file are drawn at random.
std::vector<Datum> given_inputs(const Model& model, const std::vector<std::string>& files, std::uint64_t seed);

}  // namespace hone
