#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hone::learn {

/// A file of TensorBoard's: numbers by step. Records of TFRecord form, each a protobuf message `Event`, both simple
/// enough to be written here.
class EventFile {
 public:
  /// Adds to a file of this folder whose name TensorBoard knows. Throws InputError when it cannot be written.
  explicit EventFile(const std::filesystem::path& folder);

  using Scalar = std::pair<std::string_view, double>;
  /// Numbers by name as of a step.
  void add(std::uint64_t step, std::span<const Scalar> scalars);

 private:
  std::ofstream file_;
};

/// The checksum of records: CRC-32C, turned and moved so that checksums of checksums are no problem.
std::uint32_t masked_checksum(std::string_view bytes);

}  // namespace hone::learn
