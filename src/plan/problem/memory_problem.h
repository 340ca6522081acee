#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// A buffer that takes `size` bytes from `lower` until just before `upper`, in whatever unit time is counted.
struct MemoryBuffer {
  std::string name;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t size = 0;
  std::int64_t alignment = 1;  // its offset is a multiple of this

  friend bool operator==(const MemoryBuffer&, const MemoryBuffer&) = default;
};

/// Buffers of one memory that need offsets such that no two overlap both in time and in space.
struct MemoryProblem {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  std::vector<MemoryBuffer> buffers;
  std::int64_t capacity = kUnlimited;
};

/// Where every buffer lies.
struct MemoryPlan {
  std::vector<std::int64_t> offset_of;  // by buffer
  std::int64_t height = 0;              // the end of the highest buffer

  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// Throws InputError naming a buffer that lives at no time, has a negative size or no alignment, or with which the
/// bytes of all buffers are more than can be added up.
void require_valid(const MemoryProblem& problem);

/// What is wrong with a plan, as one sentence that names the buffers; nothing when it is right. Shares nothing
/// with any planner.
std::optional<std::string> check(const MemoryProblem& problem, const MemoryPlan& plan);

/// The most bytes alive at one time: no plan is lower.
std::int64_t live_bytes_bound(const MemoryProblem& problem);

/// The end of the highest buffer.
std::int64_t height_of(const MemoryProblem& problem, const std::vector<std::int64_t>& offset_of);

}  // namespace hone
