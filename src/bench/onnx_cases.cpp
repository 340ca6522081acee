#include "bench/onnx_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formats/onnx/data_file.h"

namespace hone {
namespace {

constexpr std::string_view kDefaultFolder = "/usr/share/libonnx-testdata/data";

}  // namespace

OnnxCases onnx_cases(const BenchOptions& options) {
  OnnxCases cases{.root = options.data.empty() ? kDefaultFolder : options.data, .folders = {}};
  if (!std::filesystem::exists(cases.root))
    throw InputError(
        fmt::format("{}: not found; install Debian's libonnx-testdata or give --data", cases.root.string()),
        ExitCode::usage);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cases.root))
    if (entry.path().filename() == "model.onnx" && entry.path().string().find(options.filter) != std::string::npos)
      cases.folders.push_back(entry.path().parent_path());
  std::ranges::sort(cases.folders);
  return cases;
}

std::vector<std::filesystem::path> data_sets(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> sets;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  return sets;
}

std::vector<std::filesystem::path> numbered_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0;; ++i) {
    const auto file = folder / fmt::format("{}_{}.pb", prefix, i);
    if (!std::filesystem::exists(file)) return files;
    files.push_back(file);
  }
}

std::vector<Datum> case_inputs(const Model& model, const std::filesystem::path& folder) {
  const Graph& graph = model.graph;
  std::vector<Datum> inputs;
  for (const auto& file : numbered_files(folder, "input"))
    inputs.push_back(onnx::read_data_file(file, graph.value(graph.inputs()[inputs.size()]).type));
  return inputs;
}

}  // namespace hone
