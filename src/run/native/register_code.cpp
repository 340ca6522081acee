#include "run/native/register_code.h"

#include <sys/mman.h>

#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "run/native/code_writer.h"

namespace hone::native {
namespace {

constexpr std::size_t kMostCodeBytes = 256 * 1024, kMostScratchBytes = 1024 * 1024;
/// Bodies of more instructions than this go with fewer vectors side by side.
constexpr std::size_t kShortBody = 12;

std::optional<VectorSet> processor_vectors() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
    return VectorSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return VectorSet::avx2;
  return std::nullopt;
}

/// Memory that holds a copy of the code and can be run, but not written any more; null where the system forbids it.
std::shared_ptr<void> executable_copy(std::string_view code) {
  void* memory = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::shared_ptr<void> owned(memory, [bytes = code.size()](void* start) { munmap(start, bytes); });
  std::memcpy(memory, code.data(), code.size());
  return mprotect(memory, code.size(), PROT_READ | PROT_EXEC) == 0 ? owned : nullptr;
}

/// Code that is in use. Models repeat the same few nests, and the code of each takes a page at least: those whose code
/// is the same share it.
class CodeInUse {
 public:
  std::shared_ptr<void> find_or_copy(std::string_view code) {
    const std::lock_guard lock(mutex_);
    const std::size_t hash = std::hash<std::string_view>()(code);
    for (auto [entry, end] = all_.equal_range(hash); entry != end;) {
      std::shared_ptr<void> memory = entry->second.memory.lock();
      if (!memory) entry = all_.erase(entry);
      else if (std::string_view(static_cast<const char*>(memory.get()), entry->second.bytes) == code) return memory;
      else ++entry;
    }
    std::shared_ptr<void> memory = executable_copy(code);
    if (memory) all_.emplace(hash, Entry{memory, code.size()});
    return memory;
  }

 private:
  struct Entry {
    std::weak_ptr<void> memory;
    std::size_t bytes = 0;
  };
  std::mutex mutex_;
  std::unordered_multimap<std::size_t, Entry> all_;  // by hash; what is in use no more goes when its hash is met again
};

std::shared_ptr<void> shared_code(std::span<const std::uint8_t> code) {
  static CodeInUse in_use;
  return in_use.find_or_copy({reinterpret_cast<const char*>(code.data()), code.size()});
}

}  // namespace

std::optional<RegisterCode> RegisterCode::of(const CodeRequest& request) {
  const std::optional<VectorSet> set = request.vectors ? request.vectors : processor_vectors();
  if (!set || request.nest.operands.size() > std::size(CodeFrame().pointers)) return std::nullopt;
  const LoopPasses passes(request.nest);
  std::vector<std::uint8_t> buffer(kMostCodeBytes);
  try {
    // What goes past the caches waits for whole lines of memory, one after another: many side by side hold one another
    // up.
    const bool goes_two_by_two = request.nest.code.size() > kShortBody || request.stores == StoreKind::streaming;
    for (int count = goes_two_by_two ? 2 : 4; count > 0; count /= 2) {
      const CodeChoice plain{.side_by_side = count};
      CodeWriter trial(request, passes, *set, buffer);
      if (!trial.write(plain)) continue;
      CodeWriter writer(request, passes, *set, buffer);
      if (!writer.write(trial.improved(plain)) || writer.scratch_bytes() > kMostScratchBytes) continue;
      RegisterCode made;
      made.memory_ = shared_code({buffer.data(), writer.code_bytes()});
      if (!made.memory_) return std::nullopt;
      made.function_ = reinterpret_cast<Function>(made.memory_.get());
      made.scratch_bytes_ = writer.scratch_bytes();
      made.code_bytes_ = writer.code_bytes();
      return made;
    }
  } catch (const Xbyak::Error&) {  // more code than the buffer holds
  }
  return std::nullopt;
}

}  // namespace hone::native
