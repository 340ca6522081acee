#include "bench/model_files.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

std::vector<std::filesystem::path> model_files(const BenchOptions& options) {
  if (options.models.empty()) fail_usage("this case needs models: --models DIR");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.models))
    if (entry.path().extension() == ".onnx" &&
        entry.path().filename().string().find(options.filter) != std::string::npos)
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) fail_usage("{}: there is no .onnx file in this folder", options.models.string());
  return files;
}

}  // namespace hone
