#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "plan/methods/durations.h"
#include "plan/methods/list_guidance.h"

namespace hone {

/// Guidance for list schedules that are pipelines of stages. Operations are put in a line in which those lie together
/// that read the same or one another, and every device gets a stretch of the line that takes as long as the others'.
/// Steps of a layer of a recurrent network, which read the same weights, so come to lie on one device. Schedules keep
/// to the stretches, or lean to them more or less; from both ends each.
std::vector<ListGuidance> pipeline_guidance(const Durations& durations, ThreadPool& pool);

}  // namespace hone
