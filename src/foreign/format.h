#pragma once

#include <filesystem>
#include <string_view>

namespace hone {

/// Kinds of problem file hone reads besides ONNX.
enum class ForeignFormat { unknown, hlo, cost_graph, fiddle, pipedream, stg, minimalloc, iopddl };
std::string_view name_of(ForeignFormat format);

/// Tells by its contents what a file is; names do not matter.
ForeignFormat detect_format(const std::filesystem::path& path);
ForeignFormat detect_format_of(std::string_view text);

}  // namespace hone
