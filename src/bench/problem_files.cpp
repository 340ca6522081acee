#include "bench/problem_files.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

std::vector<std::filesystem::path> problem_files(const std::filesystem::path& folder,
                                                 bool (*wanted)(const std::filesystem::path&), std::string_view kind) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file() && wanted(entry.path())) files.push_back(entry.path());
  if (error || files.empty()) fail_usage("'{}' is no folder with {}", folder.string(), kind);
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> module_files(const std::filesystem::path& folder) {
  const auto is_module = [](const std::filesystem::path& path) {
    return path.filename().string().find(".hlo") != std::string::npos;
  };
  return problem_files(folder, is_module, "HLO modules (*.hlo, also packed)");
}

}  // namespace hone
