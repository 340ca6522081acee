#include "plan/problem/memory_problem.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace hone {
namespace {

/// Sums of sizes and alignments below this leave room for every addition a planner makes.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

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

/// Two buffers that overlap in time and memory, found by going through time with what is alive in order of offsets:
/// whatever collides with a buffer that comes alive is its neighbour there.
std::optional<std::pair<std::size_t, std::size_t>> collision(const MemoryProblem& problem,
                                                             const std::vector<std::int64_t>& offset_of) {
  const std::vector<MemoryBuffer>& buffers = problem.buffers;
  std::vector<std::tuple<std::int64_t, bool, std::size_t>> events;  // time, whether it begins, buffer
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size == 0) continue;
    events.emplace_back(buffers[i].lower, true, i);
    events.emplace_back(buffers[i].upper, false, i);
  }
  std::ranges::sort(events);
  std::map<std::int64_t, std::size_t> alive;  // by offset
  for (const auto& [time, begins, i] : events) {
    if (!begins) {
      alive.erase(offset_of[i]);
      continue;
    }
    const auto [at, added] = alive.try_emplace(offset_of[i], i);
    if (!added) return std::pair(at->second, i);
    const auto above = std::next(at);
    if (above != alive.end() && above->first < offset_of[i] + buffers[i].size) return std::pair(above->second, i);
    if (at == alive.begin()) continue;
    const auto [offset, below] = *std::prev(at);
    if (offset + buffers[below].size > offset_of[i]) return std::pair(below, i);
  }
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
  if (const auto pair = collision(problem, plan.offset_of))
    return fmt::format("buffers {} and {} collide", describe(buffers[pair->first], plan.offset_of[pair->first]),
                       describe(buffers[pair->second], plan.offset_of[pair->second]));
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
