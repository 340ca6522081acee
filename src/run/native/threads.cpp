#include "run/native/threads.h"

#include <algorithm>

// By their names in GNU's library, which Debian's oneDNN is linked with: a compiler's own OpenMP may be another pool.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads();
int omp_get_thread_num();
int omp_get_num_threads();
int omp_in_parallel();
void GOMP_parallel(void (*function)(void*), void* context, unsigned threads, unsigned flags);
#if defined(__SANITIZE_THREAD__)
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#endif
}

namespace hone::native {
namespace {

/// What the thread sanitizer cannot see, as GNU's library is not compiled with it: a region begins after all that came
/// before, and what comes next begins after all of the region.
void tell_sanitizer_of_start([[maybe_unused]] void* region) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(region);
#endif
}
void tell_sanitizer_of_end([[maybe_unused]] void* region) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(region);
#endif
}

constexpr double kLeastShared = 8000;  // nanoseconds: a thread that waits busily begins and ends within one or two

struct SharedCall {
  std::size_t shares;
  void (*function)(const void* context, std::size_t share);
  const void* context;

  static void run(void* call) {
    tell_sanitizer_of_start(call);
    const auto& shared = *static_cast<const SharedCall*>(call);
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    for (auto share = static_cast<std::size_t>(omp_get_thread_num()); share < shared.shares; share += threads)
      shared.function(shared.context, share);
    tell_sanitizer_of_end(call);
  }
};

}  // namespace

std::size_t thread_count() { return static_cast<std::size_t>(omp_get_max_threads()); }
void set_thread_count(std::size_t count) { omp_set_num_threads(static_cast<int>(count)); }

std::size_t shares_of(double nanoseconds, std::int64_t parts) {
  if (nanoseconds < kLeastShared) return 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>(parts), 1, thread_count());
}

void call_on_threads(std::size_t shares, void (*function)(const void* context, std::size_t share),
                     const void* context) {
  if (shares == 1) return function(context, 0);
  SharedCall call{shares, function, context};
  // Always all threads: GNU's library ends those that a region leaves out, and the next would have to start them again.
  if (omp_in_parallel() == 0) {
    tell_sanitizer_of_end(&call);
    GOMP_parallel(SharedCall::run, &call, 0, 0);
    return tell_sanitizer_of_start(&call);
  }
  for (std::size_t share = 0; share < shares; ++share) function(context, share);
}

}  // namespace hone::native
