#pragma once

#include <filesystem>

#include "plan/problem/timeline.h"

namespace hone {

/// Writes a timeline as a trace that Perfetto and Chrome open: a process for each device with a thread for each stream
/// and each link it sends over, a counter of live bytes, and arrows from transfers to the operation that waited for
/// them.
void write_trace(const std::filesystem::path& path, const Workload& workload, const Machine& machine, const Plan& plan,
                 const Timeline& timeline);

}  // namespace hone
