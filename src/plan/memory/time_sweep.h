#pragma once

#include "plan/memory/sections.h"

namespace hone {

/// Lays out buffers in the order of their starts, each into the tightest gap between those alive then: what an
/// allocator would do while they come and go. Takes n log n steps, however many buffers live at the same time.
MemoryPlan fit_in_time(const MemoryProblem& problem, const Sections& sections);

}  // namespace hone
