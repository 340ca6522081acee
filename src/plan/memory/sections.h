#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/memory_problem.h"

namespace hone {

/// The sections of time a buffer lives in: [first, last).
struct SectionSpan {
  std::uint32_t first = 0, last = 0;

  bool overlaps(const SectionSpan& other) const { return first < other.last && other.first < last; }
};

/// Time reduced to the moments that matter: those at which no buffer more could be added without another one ending.
///
/// Two buffers overlap in time when they share a section, and the buffers alive at any time are all alive together in
/// some section; so every question about a memory problem can be asked of sections alone.
struct Sections {
  explicit Sections(const MemoryProblem& problem);

  std::vector<SectionSpan> span_of;  // by buffer
  std::vector<std::int64_t> live;    // by section: bytes

  /// The buffers split where none lives on both sides: each part can be planned for itself.
  std::vector<std::vector<std::uint32_t>> independent_parts() const;
};

}  // namespace hone
