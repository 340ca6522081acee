#pragma once

#include <cstddef>

namespace hone {

/// While it lives, small pieces of memory that this thread gives back to `operator delete` are kept, and `operator new`
/// hands them out again before it asks the system: for calls of libraries that make the same few small objects every
/// time, which so ask for memory the first time only. What outlives the scope is freed as usual; scopes may nest.
class RecycledAllocations {
 public:
  RecycledAllocations();
  ~RecycledAllocations();
  RecycledAllocations(const RecycledAllocations&) = delete;
  RecycledAllocations& operator=(const RecycledAllocations&) = delete;
};

/// How many pieces of memory this thread was given that it had given back.
std::size_t recycled_count();

// For `operator new` and `operator delete` alone.

/// How much to ask `malloc` for so that the piece serves all of about that size.
std::size_t recyclable_bytes(std::size_t bytes) noexcept;
/// A piece of at least so many bytes that was kept; null where there is none, or no scope.
void* take_recycled(std::size_t bytes) noexcept;
/// Keeps what `malloc` gave; false where it is too large, enough like it are kept, or there is no scope.
bool keep_for_recycling(void* memory) noexcept;

}  // namespace hone
