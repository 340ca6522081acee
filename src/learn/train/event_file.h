#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/wire.h"

namespace hone::learn {

/// A file of TensorBoard's: numbers by step. Records of TFRecord form, each a protobuf message `Event`.
class EventFile {
 public:
  /// Adds to a file of this folder whose name TensorBoard knows. Steps from `first` on that older files have, since
  /// they were written after the last checkpoint, are void. Throws InputError when it cannot be written.
  EventFile(const std::filesystem::path& folder, std::uint64_t first);

  using Scalar = std::pair<std::string_view, double>;
  /// Numbers by name as of a step; those that are not finite are left out. Throws InputError likewise.
  void add(std::uint64_t step, std::span<const Scalar> scalars);

 private:
  void write(const WireWriter& event);

  std::filesystem::path path_;
  std::ofstream file_;
};

/// The checksum of records: CRC-32C, turned and moved so that checksums of checksums are no problem.
std::uint32_t masked_checksum(std::string_view bytes);

}  // namespace hone::learn
