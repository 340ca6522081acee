#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bench/catalogue/bench_case.h"
#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// ONNX's own backend tests: each a folder with a model, inputs and the outputs that the standard prescribes.
struct OnnxCases {
  std::filesystem::path root;
  std::vector<std::filesystem::path> folders;  // sorted
};
/// Those of --data, else of Debian's package, whose name contains --filter.
OnnxCases onnx_cases(const BenchOptions& options);

/// Folders of data of a case.
std::vector<std::filesystem::path> data_sets(const std::filesystem::path& folder);
/// `input_0.pb`, `input_1.pb`, ... of a folder of data.
std::vector<std::filesystem::path> numbered_files(const std::filesystem::path& folder, std::string_view prefix);
/// The inputs in a folder of data.
std::vector<Datum> case_inputs(const Model& model, const std::filesystem::path& folder);

}  // namespace hone
