#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace hone {

/// A file that appears whole or not at all: bytes go to a temporary name beside the target, and `commit` renames.
/// Dropped without `commit` (an exception, a full disk) it leaves the old file as it was. Links are followed: it is the
/// file they name that is replaced. A device or a pipe is never replaced but written to as it is, and `-` is standard
/// output.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path target);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Bytes written so far.
  std::uint64_t position() const { return position_; }
  /// Flushes to disk and gives the file its name.
  void commit();

 private:
  void open_in_place();
  void open_standard_output();
  void open_beside(int permissions);
  void flush();
  void write_through(std::span<const std::byte> bytes);

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty where bytes go to the target itself
  std::string buffer_;
  std::uint64_t position_ = 0;
  int descriptor_ = -1;
};

/// Whether bytes go to what stands there instead of to a file that takes its place: standard output, a device, a pipe.
/// Nothing else can lie beside such an output.
bool is_written_through(const std::filesystem::path& target);

}  // namespace hone
