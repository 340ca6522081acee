#include "plan/memory/sections.h"

#include <algorithm>
#include <tuple>

namespace hone {
namespace {

struct Event {
  std::int64_t time = 0;
  enum Kind { end, begin } kind = end;  // at equal times ends come first
  std::uint32_t buffer = 0;
};

}  // namespace

Sections::Sections(const MemoryProblem& problem) : span_of(problem.buffers.size()) {
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < problem.buffers.size(); ++i) {
    events.push_back({problem.buffers[i].lower, Event::begin, i});
    events.push_back({problem.buffers[i].upper, Event::end, i});
  }
  std::ranges::sort(events, {}, [](const Event& event) { return std::tuple(event.time, event.kind, event.buffer); });
  std::int64_t bytes = 0;
  bool closed = true;
  for (const Event& event : events) {
    const std::int64_t size = problem.buffers[event.buffer].size;
    if (event.kind == Event::end) {
      span_of[event.buffer].last = static_cast<std::uint32_t>(live.size());
      bytes -= size;
      closed = true;
      continue;
    }
    if (closed) live.push_back(bytes);
    closed = false;
    span_of[event.buffer].first = static_cast<std::uint32_t>(live.size() - 1);
    live.back() = bytes += size;
  }
}

std::vector<std::vector<std::uint32_t>> Sections::independent_parts() const {
  std::vector<std::uint32_t> by_time(span_of.size());
  for (std::uint32_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::ranges::sort(by_time, {}, [&](std::uint32_t i) { return std::pair(span_of[i].first, i); });
  std::vector<std::vector<std::uint32_t>> parts;
  std::uint32_t reach = 0;
  for (const std::uint32_t i : by_time) {
    if (parts.empty() || span_of[i].first >= reach) parts.emplace_back();
    parts.back().push_back(i);
    reach = std::max(reach, span_of[i].last);
  }
  return parts;
}

}  // namespace hone
