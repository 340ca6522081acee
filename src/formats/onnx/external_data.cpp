#include "formats/onnx/external_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace hone::onnx {
namespace {

/// Walks down from `folder` one name at a time and follows no link anywhere, so that nothing outside can be reached
/// even if somebody swaps a folder for a link meanwhile.
int open_beneath(const std::filesystem::path& folder, const std::filesystem::path& relative) {
  int at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) return -1;
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    const bool last = std::next(part) == relative.end();
    const int next = ::openat(at, part->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY));
    const int error = errno;
    ::close(at);
    errno = error;
    if (next < 0) return -1;
    at = next;
  }
  return at;
}

}  // namespace

std::shared_ptr<const MappedFile> ExternalFiles::open(const std::string& location) {
  if (const auto it = opened_.find(location); it != opened_.end()) return it->second;
  const std::filesystem::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos) fail("external data without a file name");
  if (relative.is_absolute()) fail("external data '{}' is an absolute path", location);
  for (const auto& part : relative)
    if (part == ".." || part.empty()) fail("external data '{}' leaves the model's folder", location);
  const int descriptor = open_beneath(folder_, relative);
  if (descriptor < 0 && errno == ELOOP) fail("external data '{}' is a symbolic link", location);
  if (descriptor < 0) fail("external data '{}': {}", location, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1) {
    ::close(descriptor);
    fail("external data '{}' is a hard link", location);
  }
  auto file = MappedFile::from_descriptor(descriptor, std::filesystem::absolute(folder_ / relative).lexically_normal());
  opened_[location] = file;
  return file;
}

}  // namespace hone::onnx
