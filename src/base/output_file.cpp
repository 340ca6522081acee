#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/standard_output.h"

namespace hone {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

[[noreturn]] void fail_writing(const std::filesystem::path& target) {
  throw InputError(fmt::format("{}: cannot write: {}", target.string(), std::strerror(errno)),
                   ExitCode::internal_error);
}

/// What a chain of symbolic links names, there or not.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  for (int i = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(path)); ++i) {
    if (i == kMostLinks) {
      errno = ELOOP;
      fail_writing(path);
    }
    path = path.parent_path() / std::filesystem::read_symlink(path);  // an absolute one replaces all before it
  }
  return path;
}

/// The permissions that any other program would give a new file.
mode_t usual_permissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// Those of the file that is replaced, if there is one; throws where there is a folder.
mode_t permissions_for(const std::filesystem::path& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) return usual_permissions();
  if (S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    fail_writing(target);
  }
  return old.st_mode & 07777;
}

}  // namespace

bool is_written_through(const std::filesystem::path& target) {
  struct stat found {};
  return means_standard_output(target) ||
         (::stat(target.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode));
}

OutputFile::OutputFile(std::filesystem::path target) : target_(std::move(target)) {
  if (means_standard_output(target_)) {
    open_standard_output();
  } else if (is_written_through(target_)) {
    open_in_place();  // by its own name: a link of /proc leads to no other
  } else {
    target_ = behind_links(std::move(target_));
    open_beside(static_cast<int>(permissions_for(target_)));
  }
}

void OutputFile::open_standard_output() {
  descriptor_ = ::fcntl(standard_output(), F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) fail_writing("standard output");
  target_ = "standard output";
}

void OutputFile::open_in_place() {
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_writing(target_);
}

void OutputFile::open_beside(int permissions) {
  std::string name = target_.string() + ".XXXXXX";
  descriptor_ = ::mkstemp(name.data());
  if (descriptor_ < 0) fail_writing(target_);
  temporary_ = name;
  ::fchmod(descriptor_, static_cast<mode_t>(permissions));  // mkstemp makes the file private
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) return write_through(bytes);
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void OutputFile::flush() {
  write_through(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void OutputFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_writing(target_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::commit() {
  flush();
  // Devices and pipes cannot be synchronised, and say so.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail_writing(target_);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  const bool closed = ::close(descriptor) == 0;
  if (closed && (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) == 0)) return;
  const int error = errno;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  errno = error;
  fail_writing(target_);
}

}  // namespace hone
