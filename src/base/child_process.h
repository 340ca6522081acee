#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "base/error.h"

namespace hone {

/// Peak resident memory of this process so far in KiB.
long peak_memory();

/// Runs `work` in a child process and returns its peak resident memory in KiB. Throws InputError when it fails.
long peak_memory_of_child(const std::function<void()>& work);

/// What Ctrl-C does to a child: it is told and ends by itself, or is killed if it does not within half a second.
enum class OnInterrupt { tell, tell_then_kill };

/// What a child that may crash reported: its text, the sentence of what it threw, or the signal that ended it.
struct ChildResult {
  std::string text;
  std::string error;                         // empty unless it failed
  ExitCode code = ExitCode::internal_error;  // of the failure
  int signal = 0;                            // 0 when it ended by itself

  bool succeeded() const { return signal == 0 && error.empty(); }
};
/// Runs `work` in a child process and returns the text it gave. A child that takes longer than `limit_seconds` is
/// killed. Ctrl-C reaches the child through this process (see `interrupted`). Only the calling thread goes on in the
/// child, so that nothing `work` needs may depend on others.
ChildResult run_in_child(const std::function<std::string()>& work,
                         double limit_seconds = std::numeric_limits<double>::infinity(),
                         OnInterrupt on_interrupt = OnInterrupt::tell);
/// The text of a child that succeeded; throws InputError with its own sentence, or one that names the signal, else.
std::string text_given(const ChildResult& result);
/// The text of a child that has to succeed.
std::string text_of_child(const std::function<std::string()>& work,
                          double limit_seconds = std::numeric_limits<double>::infinity());

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
