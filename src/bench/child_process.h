#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace hone {

/// Runs `work` in a child process and returns its peak resident memory in KiB. Throws InputError when it fails.
long peak_memory_of_child(const std::function<void()>& work);

/// What a child that may crash reported: its text, or the signal that ended it.
struct ChildResult {
  std::string text;
  int signal = 0;  // 0 when it ended by itself
};
/// Runs `work` in a child process and returns the text it gave.
ChildResult run_in_child(const std::function<std::string()>& work);

/// A folder that goes away with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hone
