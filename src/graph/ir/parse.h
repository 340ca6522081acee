#pragma once

#include <string>
#include <string_view>

#include "graph/ir/model.h"

namespace hone {

/// Reads a model in ONNX's text form, as `print` and onnx.parser write it. Nodes may stand in any order; a body of
/// control flow may read values of the graphs around it. Throws InputError with `source_name:line:column`.
Model parse_model(std::string_view text, std::string source_name);

/// Reads a single graph in the same form.
Graph parse_graph(std::string_view text, std::string source_name);

}  // namespace hone
