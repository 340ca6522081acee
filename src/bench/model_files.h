#pragma once

#include <filesystem>
#include <vector>

#include "bench/catalogue/bench_case.h"

namespace hone {

/// The `.onnx` files of --models whose name contains --filter, by name. Throws InputError (usage) when there are none.
std::vector<std::filesystem::path> model_files(const BenchOptions& options);

}  // namespace hone
