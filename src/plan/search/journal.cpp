#include "plan/search/journal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "base/hash.h"

namespace hone {
namespace {

/// The words at the head of a file. The size of an entry is among them: a file of another build is not misread.
struct Head {
  char magic[8] = {'h', 'o', 'n', 'e', 'j', 'r', 'n', '1'};
  std::uint64_t entry_bytes = sizeof(Journal::Entry);
  std::uint64_t run = 0;
};

std::string_view bytes_of(const auto& object) {
  static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(object)>>);
  return {reinterpret_cast<const char*>(&object), sizeof(object)};
}

/// Follows every entry in the file. Counts the entries too, so that one that is out of its place is noticed.
std::uint64_t seal(std::string_view entry, std::size_t index) { return hash_text(entry, index + 1); }

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  fail_usage("{}: cannot be written ({})", path.string(), std::strerror(errno));
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, std::uint64_t run) : path_(path), run_(run) {
  file_.reset(std::fopen(path.c_str(), "r+b"));
  if (file_ == nullptr && errno == ENOENT) file_.reset(std::fopen(path.c_str(), "w+b"));
  if (file_ == nullptr) fail_usage("{}: cannot be opened ({})", path.string(), std::strerror(errno));
  load();
}

void Journal::load() {
  Head head;
  const std::size_t got = std::fread(&head, 1, sizeof head, file_.get());
  const Head expected{.run = run_};
  if (std::memcmp(&head, &expected, std::min(got, sizeof head.magic)) != 0)
    fail_usage("{}: is not the journal of a search", path_.string());
  if (got == sizeof head && head.entry_bytes != expected.entry_bytes)
    fail_usage("{}: is the journal of another version of hone", path_.string());
  if (got == sizeof head && head.run != run_)
    fail_usage("{}: is the journal of another search (other problem, optimiser or seed)", path_.string());
  if (got < sizeof head) {  // new, or killed at once
    std::rewind(file_.get());
    return write(bytes_of(expected));
  }
  Entry entry;
  std::uint64_t check = 0;
  while (std::fread(&entry, sizeof entry, 1, file_.get()) == 1 &&
         std::fread(&check, sizeof check, 1, file_.get()) == 1 && check == seal(bytes_of(entry), past_.size()))
    past_.push_back(entry);
  const std::size_t end = sizeof head + past_.size() * (sizeof entry + sizeof check);
  if (ftruncate(fileno(file_.get()), static_cast<off_t>(end)) != 0 ||
      fseeko(file_.get(), static_cast<off_t>(end), SEEK_SET) != 0)
    fail_to_write(path_);
}

void Journal::append(std::span<const Entry> entries) {
  buffer_.clear();
  for (const Entry& entry : entries) {
    const std::uint64_t check = seal(bytes_of(entry), appended_ + past_.size());
    buffer_.append(bytes_of(entry)).append(bytes_of(check));
    ++appended_;
  }
  write(buffer_);
}

void Journal::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() || std::fflush(file_.get()) != 0)
    fail_to_write(path_);
}

}  // namespace hone
