#pragma once

#include <filesystem>
#include <string_view>

#include "core/workload.h"

namespace hone {

/// Kinds of problem file hone reads besides ONNX.
enum class ForeignFormat { unknown, hlo, cost_graph, fiddle, pipedream, stg, minimalloc, iopddl };
std::string_view name_of(ForeignFormat format);

/// Tells by its contents what a file is; names do not matter.
ForeignFormat detect_format(const std::filesystem::path& path);
ForeignFormat detect_format_of(std::string_view text);

/// Reads any of the kinds that are graphs of work. Throws InputError for the others, naming what the file is.
Workload read_foreign(const std::filesystem::path& path);

}  // namespace hone
