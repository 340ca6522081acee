#include "base/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t count_of_this_thread = 0;

}  // namespace

// The program's own versions of the global operators, as the language allows: the usual ones, and counting. The other
// forms of new and delete end up in these.
void* operator new(std::size_t size) {
  ++count_of_this_thread;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace hone {

std::uint64_t allocation_count() { return count_of_this_thread; }

}  // namespace hone
