#pragma once

#include <string>
#include <vector>

#include "plan/problem/workload.h"

namespace hone {

/// The graphs that a user names to learn from: of `synthetic:RECIPE` those of the split `train`, the models of a folder
/// and all below it (`.onnx`, `.onnxtxt`), or one of anything that can be planned. Dynamic dimensions get likely sizes.
/// What cannot be planned in a folder is named on standard error and left out. Throws InputError for anything else
/// that is not a graph, and where none is left.
std::vector<Workload> load_training_data(const std::vector<std::string>& names);

}  // namespace hone
