#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

/// What a file is that was given where a model is expected, and how to come to a model from it.
struct FileKind {
  std::string_view called;  // `a PyTorch file`
  std::string next;         // `export the model with ...`
};

/// What a file's contents say it is when that certainly is no ONNX model; nothing otherwise.
std::optional<FileKind> kind_by_contents(std::string_view contents, const std::string& path);

/// What a protobuf message is that cannot be read as an ONNX model; nothing where it is not known either.
std::optional<FileKind> kind_by_fields(std::string_view contents, const std::string& path);

/// What a folder is that was given where a model is expected.
FileKind kind_of_folder(const std::filesystem::path& folder);

}  // namespace hone
