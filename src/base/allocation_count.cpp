#include "base/allocation_count.h"

#include <cstdlib>
#include <new>

#include "base/recycled_allocations.h"

namespace {

thread_local std::uint64_t count_of_this_thread = 0;

}  // namespace

// The program's own versions of the global operators, as the language allows: the usual ones, and counting. All forms
// are here, because a sanitizer has its own for those that are not and notices when they are mixed. What comes from
// what a thread has given back (recycled_allocations.h) is not asked for again and does not count.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (void* memory = hone::take_recycled(size)) return memory;
  ++count_of_this_thread;
  return std::malloc(hone::recyclable_bytes(size == 0 ? 1 : size));
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void operator delete(void* memory) noexcept {
  if (!hone::keep_for_recycling(memory)) std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

namespace hone {

std::uint64_t allocation_count() { return count_of_this_thread; }

}  // namespace hone
