#include "core/memory_problem.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

/// Sums of sizes and alignments below this leave room for every addition a planner makes.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

bool overlap_in_time(const MemoryBuffer& a, const MemoryBuffer& b) { return a.lower < b.upper && b.lower < a.upper; }

std::string describe(const MemoryBuffer& buffer, std::int64_t offset) {
  return fmt::format("'{}' ([{}, {}) in time, [{}, {}) in memory)", buffer.name, buffer.lower, buffer.upper, offset,
                     offset + buffer.size);
}

/// What is wrong with where one buffer lies, whatever the others do.
std::optional<std::string> misplacement(const MemoryProblem& problem, const MemoryBuffer& buffer, std::int64_t offset) {
  if (offset < 0 || offset > kMostBytes)
    return fmt::format("buffer '{}' lies at {}, outside any memory", buffer.name, offset);
  if (offset % buffer.alignment != 0)
    return fmt::format("buffer '{}' lies at {}, not a multiple of {}", buffer.name, offset, buffer.alignment);
  if (offset + buffer.size > problem.capacity)
    return fmt::format("buffer {} ends above the capacity of {}", describe(buffer, offset), problem.capacity);
  return std::nullopt;
}

}  // namespace

void require_valid(const MemoryProblem& problem) {
  std::int64_t total = 0;
  for (const MemoryBuffer& buffer : problem.buffers) {
    if (buffer.lower >= buffer.upper) fail("buffer '{}' must have lower < upper", buffer.name);
    if (buffer.size < 0) fail("buffer '{}' has a negative size", buffer.name);
    if (buffer.alignment < 1) fail("buffer '{}' needs an alignment of at least 1", buffer.name);
    for (const std::int64_t bytes : {buffer.size, buffer.alignment}) {
      if (bytes > kMostBytes - total) fail("buffer '{}': the sizes add up to more than 2^60 bytes", buffer.name);
      total += bytes;
    }
  }
}

std::optional<std::string> check(const MemoryProblem& problem, const MemoryPlan& plan) {
  const std::vector<MemoryBuffer>& buffers = problem.buffers;
  if (plan.offset_of.size() != buffers.size())
    return fmt::format("{} offsets for {} buffers", plan.offset_of.size(), buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (auto fault = misplacement(problem, buffers[i], plan.offset_of[i])) return fault;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t a = plan.offset_of[i], b = plan.offset_of[j];
      if (overlap_in_time(buffers[i], buffers[j]) && a < b + buffers[j].size && b < a + buffers[i].size &&
          buffers[i].size > 0 && buffers[j].size > 0)
        return fmt::format("buffers {} and {} collide", describe(buffers[j], b), describe(buffers[i], a));
    }
  if (plan.height != height_of(problem, plan.offset_of))
    return fmt::format("the height is said to be {} and is {}", plan.height, height_of(problem, plan.offset_of));
  return std::nullopt;
}

std::int64_t live_bytes_bound(const MemoryProblem& problem) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, bytes; at equal times what ends comes first
  for (const MemoryBuffer& buffer : problem.buffers) {
    changes.emplace_back(buffer.lower, buffer.size);
    changes.emplace_back(buffer.upper, -buffer.size);
  }
  std::ranges::sort(changes);
  std::int64_t live = 0, most = 0;
  for (const auto& change : changes) most = std::max(most, live += change.second);
  return most;
}

std::int64_t height_of(const MemoryProblem& problem, const std::vector<std::int64_t>& offset_of) {
  std::int64_t height = 0;
  for (std::size_t i = 0; i < offset_of.size(); ++i) height = std::max(height, offset_of[i] + problem.buffers[i].size);
  return height;
}

}  // namespace hone
