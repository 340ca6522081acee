#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace hone {

/// A file read through the page cache: its bytes are loaded when touched and never copied. Shared by every tensor
/// that lies in it.
class MappedFile {
 public:
  /// Throws InputError naming the file when it cannot be opened.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  /// Maps an already open descriptor and takes ownership of it; `path` is only for messages and identity.
  static std::shared_ptr<const MappedFile> from_descriptor(int descriptor, const std::filesystem::path& path);

  /// Gives back the memory of bytes that lie in a mapped file: they are loaded again when they are touched. Nothing
  /// happens to bytes that lie anywhere else.
  static void unload(std::span<const std::byte> bytes);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  MappedFile(std::span<const std::byte> bytes, std::filesystem::path path);

  std::span<const std::byte> bytes_;
  std::filesystem::path path_;
};

}  // namespace hone
