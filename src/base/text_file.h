#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace hone {

/// The text of a file, kept alive by `owner`: mapped as it lies on disk, or unpacked when its first bytes say gzip or
/// xz.
struct TextFile {
  std::shared_ptr<const void> owner;
  std::string_view text;
};

/// Throws InputError naming the file when it cannot be opened, is damaged, or unpacks to more than 1 GiB.
TextFile read_text_file(const std::filesystem::path& path);

}  // namespace hone
