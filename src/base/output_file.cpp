#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

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

}  // namespace

OutputFile::OutputFile(std::filesystem::path target) : target_(behind_links(std::move(target))) {
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    fail_writing(target_);
  }
  if (exists && !S_ISREG(old.st_mode)) open_in_place();
  else open_beside(static_cast<int>(exists ? old.st_mode & 07777 : usual_permissions()));
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
