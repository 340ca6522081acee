#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "plan/problem/workload.h"
#include "rewrite/worth/measured_gains.h"

namespace hone {

/// The graphs that a user names to learn from: of `synthetic:RECIPE` those of the split `train`, the models of a folder
/// and all below it (`.onnx`, `.onnxtxt`), or one of anything that can be planned. Dynamic dimensions get likely sizes.
/// What cannot be planned in a folder is named on standard error and left out. Throws InputError for anything else
/// that is not a graph, and where none is left.
std::vector<Workload> load_training_data(const std::vector<std::string>& names);

/// Models that a user names to learn from: of the zoo, files, and those of a folder and all below it. Dynamic
/// dimensions stay as they are. Throws InputError for anything else.
std::vector<std::shared_ptr<const Model>> load_training_models(const std::vector<std::string>& names);

/// What rewriting was measured to bring, in the stores named.
std::vector<MeasuredGains> load_measured_gains(const std::vector<std::string>& stores);

}  // namespace hone
