#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "plan/memory/sections.h"

namespace hone {

/// In which order buffers are laid out; of each, the larger comes first.
enum class MemoryOrder { size, area, lifetime, start, peak_lifetime, peak_area };

inline constexpr std::array kMemoryOrders = {MemoryOrder::size,  MemoryOrder::area,          MemoryOrder::lifetime,
                                             MemoryOrder::start, MemoryOrder::peak_lifetime, MemoryOrder::peak_area};

/// Which of the gaps that are large enough a buffer is laid into.
enum class GapChoice { lowest, tightest };

/// The buffers sorted: by size; by size times lifetime; by lifetime; earliest start first; or first by the most bytes
/// alive together at a time the buffer lives, then by lifetime or area.
std::vector<std::uint32_t> sorted_by(MemoryOrder order, const MemoryProblem& problem, const Sections& sections,
                                     std::span<const std::uint32_t> buffers);

/// Lays out the buffers one after the other, each into a gap between those already there, without looking back.
MemoryPlan fit_in_order(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> order,
                        GapChoice choice);

/// The lowest of the plans that all orders and choices of gaps give, or the first that is about as low as can be. Of
/// many buffers, many of which overlap, only as many orders are tried as take some seconds, and `fit_in_time` in any
/// case. After the deadline, of those that were tried.
MemoryPlan best_fit(const MemoryProblem& problem, const Sections& sections, const Deadline& deadline);

}  // namespace hone
