#pragma once

#include "run/native/threads.h"

namespace hone::native {

/// Numbers too small for their type's usual form are zero while it lives, on all threads that share steps: arithmetic
/// with them takes a hundred times as long.
class TinyNumbersAreZero {
 public:
#if defined(__SSE__)
  TinyNumbersAreZero() : before_(__builtin_ia32_stmxcsr()) { set(before_ | kFlushBits); }
  ~TinyNumbersAreZero() { set(before_); }
  TinyNumbersAreZero(const TinyNumbersAreZero&) = delete;
  TinyNumbersAreZero& operator=(const TinyNumbersAreZero&) = delete;

 private:
  static constexpr unsigned kFlushBits = 0x8040;
  static void set(unsigned mode) {
    on_threads(thread_count(), [mode](std::size_t) { __builtin_ia32_ldmxcsr(mode); });
  }
  unsigned before_;
#endif
};

}  // namespace hone::native
