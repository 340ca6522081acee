#include "base/recycled_allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>

namespace hone {
namespace {

constexpr std::size_t kStep = 64;     // by which the sizes of pieces differ: `malloc` may give a little more than that
constexpr std::size_t kClasses = 17;  // up to a kilobyte
constexpr std::size_t kMostOfAClass = 64;

/// Pieces of one size; the first word of each points to the next.
struct KeptPieces {
  void* first = nullptr;
  std::size_t count = 0;
};

struct RecycledPieces {
  std::size_t scopes = 0, handed_out = 0;
  KeptPieces classes[kClasses];
};

// Without a constructor, so that `operator new` may look at it at any time in the life of a thread.
thread_local constinit RecycledPieces recycled_pieces{};

/// Frees what a thread has kept when it ends.
struct FreesWhatIsKept {
  ~FreesWhatIsKept() {
    for (KeptPieces& kept : recycled_pieces.classes)
      while (kept.first != nullptr) {
        void* const next = *static_cast<void**>(kept.first);
        std::free(kept.first);
        kept = {.first = next, .count = kept.count - 1};
      }
  }
};

}  // namespace

RecycledAllocations::RecycledAllocations() {
  thread_local const FreesWhatIsKept at_the_end;
  static_cast<void>(&at_the_end);
  ++recycled_pieces.scopes;
}
RecycledAllocations::~RecycledAllocations() { --recycled_pieces.scopes; }

std::size_t recycled_count() { return recycled_pieces.handed_out; }

std::size_t recyclable_bytes(std::size_t bytes) noexcept {
  if (recycled_pieces.scopes == 0 || bytes > (kClasses - 1) * kStep) return bytes;
  return std::max<std::size_t>(1, (bytes + kStep - 1) / kStep) * kStep;
}

void* take_recycled(std::size_t bytes) noexcept {
  if (recycled_pieces.scopes == 0 || bytes > (kClasses - 1) * kStep) return nullptr;
  KeptPieces& kept = recycled_pieces.classes[recyclable_bytes(bytes) / kStep];
  if (kept.first == nullptr) return nullptr;
  void* const memory = kept.first;
  kept = {.first = *static_cast<void**>(memory), .count = kept.count - 1};
  ++recycled_pieces.handed_out;
  return memory;
}

bool keep_for_recycling(void* memory) noexcept {
  if (recycled_pieces.scopes == 0 || memory == nullptr) return false;
  const std::size_t size_class = malloc_usable_size(memory) / kStep;
  if (size_class == 0 || size_class >= kClasses || recycled_pieces.classes[size_class].count == kMostOfAClass)
    return false;
  KeptPieces& kept = recycled_pieces.classes[size_class];
  *static_cast<void**>(memory) = kept.first;
  kept = {.first = memory, .count = kept.count + 1};
  return true;
}

}  // namespace hone
