#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::native {

/// How many threads share a step that this thread makes ready or runs. They are those of OpenMP that oneDNN shares its
/// own work with: one pool, whose threads wait busily from step to step.
std::size_t thread_count();
void set_thread_count(std::size_t count);

/// While it lives, what this thread makes ready is for one thread.
class OneThread {
 public:
  OneThread() : before_(thread_count()) { set_thread_count(1); }
  ~OneThread() { set_thread_count(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  std::size_t before_;
};

/// In how many shares to do work of so many nanoseconds that falls into so many parts: one where sharing would take
/// longer than it saves.
std::size_t shares_of(double nanoseconds, std::int64_t parts);

inline constexpr double kCopiedByteNanoseconds = 0.1;  // about, from memory that is in no cache

/// Parts in a row that belong to one share.
struct PartRange {
  std::int64_t first = 0, last = 0;
};
inline PartRange range_of(std::int64_t parts, std::size_t share, std::size_t shares) {
  const auto of = static_cast<std::int64_t>(shares), at = static_cast<std::int64_t>(share);
  return {parts * at / of, parts * (at + 1) / of};
}

/// `function(context, share)` for every share, each by a thread of its own, where there are as many. It must not throw.
void call_on_threads(std::size_t shares, void (*function)(const void* context, std::size_t share), const void* context);

/// The same for anything that can be called.
template <class Work>
void on_threads(std::size_t shares, const Work& work) {
  call_on_threads(
      shares, [](const void* context, std::size_t share) { (*static_cast<const Work*>(context))(share); }, &work);
}

}  // namespace hone::native
