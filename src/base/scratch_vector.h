#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace hone {

/// Bytes that processors fetch and own together: what two threads write must lie further apart, or each write of one
/// makes the other wait.
inline constexpr std::size_t kCacheLineBytes = 64;
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Allocates whole cache lines, so that nothing else ever shares one with what lies there; and large blocks in huge
/// pages where the system has them, since reading here and there in megabytes of small pages mostly looks up pages.
template <class T>
struct ScratchAllocator {
  using value_type = T;

  ScratchAllocator() = default;
  template <class U>
  ScratchAllocator(const ScratchAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > kMostBytes / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t unit = unit_of(count), bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* memory = ::operator new (bytes, std::align_val_t{unit});
    if (unit == kHugePageBytes) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: small pages do as well
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete (memory, std::align_val_t{unit_of(count)}); }

  bool operator==(const ScratchAllocator&) const = default;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 62;

  static std::size_t unit_of(std::size_t count) {
    return count * sizeof(T) < kHugePageBytes / 2 ? kCacheLineBytes : kHugePageBytes;
  }
};

/// A vector for what one thread reads and writes again and again while others do the same with theirs.
template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace hone
