#pragma once

#include <cstdint>
#include <vector>

#include "rewrite/search/space.h"

namespace hone {

/// Graphs of a space that differ in what a runtime may make of them, to be measured: each by one to three rules, of
/// which some or all sites are taken, every other time only where the prices speak for it. Fewer where the space has no
/// more, or the deadline is over. The start is not among them. Equal seeds draw equal graphs.
std::vector<StatePointer> drawn_rewrites(const RewriteSpace& space, std::size_t count, std::uint64_t seed,
                                         const Deadline& deadline = {});

}  // namespace hone
