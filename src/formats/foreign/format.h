#pragma once

#include <string_view>

namespace hone {

/// Kinds of problem file hone reads besides ONNX.
enum class ForeignFormat { unknown, hlo, cost_graph, fiddle, pipedream, stg, minimalloc, iopddl, doppler };
std::string_view name_of(ForeignFormat format);

/// Tells by a file's text what it is; names do not matter.
ForeignFormat detect_format(std::string_view text);

}  // namespace hone
