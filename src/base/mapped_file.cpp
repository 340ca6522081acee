#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "base/error.h"

namespace hone {
namespace {

/// All files that are mapped now: where they begin, and how long they are.
struct LiveMappings {
  std::mutex mutex;
  std::map<const std::byte*, std::size_t> sizes;
};

LiveMappings& live_mappings() {
  static auto* mappings = new LiveMappings;  // files may outlive all other objects
  return *mappings;
}

}  // namespace

MappedFile::MappedFile(std::span<const std::byte> bytes, std::filesystem::path path)
    : bytes_(bytes), path_(std::move(path)) {
  const std::lock_guard lock(live_mappings().mutex);
  if (!bytes_.empty()) live_mappings().sizes.emplace(bytes_.data(), bytes_.size());
}

void MappedFile::unload(std::span<const std::byte> bytes) {
  LiveMappings& mappings = live_mappings();
  const std::lock_guard lock(mappings.mutex);
  const auto after = mappings.sizes.upper_bound(bytes.data());
  if (bytes.empty() || after == mappings.sizes.begin()) return;
  const auto [first, size] = *std::prev(after);
  if (bytes.data() + bytes.size() > first + size) return;
  // With what the system loads around a page that is touched; a mapping begins at a page.
  constexpr std::size_t kLoadedAtOnce = 64 * 1024;
  const std::size_t begin = static_cast<std::size_t>(bytes.data() - first) / kLoadedAtOnce * kLoadedAtOnce;
  const std::size_t end = static_cast<std::size_t>(bytes.data() + bytes.size() - first) / kLoadedAtOnce * kLoadedAtOnce;
  ::madvise(const_cast<std::byte*>(first) + begin, std::min(end + kLoadedAtOnce, size) - begin, MADV_DONTNEED);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // never wait for the writer of a pipe
  if (descriptor < 0) fail("{}: cannot open: {}", path.string(), std::strerror(errno));
  return from_descriptor(descriptor, path);
}

std::shared_ptr<const MappedFile> MappedFile::from_descriptor(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    fail("{}: not a regular file", path.string());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = nullptr;
  if (size > 0) address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (address == MAP_FAILED) fail("{}: cannot map: {}", path.string(), std::strerror(error));
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}, path));
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  const std::lock_guard lock(live_mappings().mutex);
  live_mappings().sizes.erase(bytes_.data());
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace hone
