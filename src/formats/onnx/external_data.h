#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/mapped_file.h"

namespace hone::onnx {

/// The weight files beside a model, each mapped once. Only plain files inside the model's own folder are opened: a
/// model is data from a stranger and must not be able to name /etc/passwd.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Throws InputError for an absolute path, one that leaves the folder, a link, or a file that is not there.
  std::shared_ptr<const MappedFile> open(const std::string& location);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> opened_;
};

}  // namespace hone::onnx
