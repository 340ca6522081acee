#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/machine/processor.h"
#include "run/profile/graph_profile.h"

namespace hone {

/// An operation that was timed.
struct TimedEffort {
  Effort effort;
  double seconds = 0;
};

/// Replaces the efficiency curves of every class of operations among `timings` by what was measured: efforts of about
/// one size give one point, their middle. Products and convolutions are judged by their arithmetic, all else by bytes
/// moved.
DeviceKind fit_efficiency(DeviceKind kind, std::span<const TimedEffort> timings);

/// The nodes of a profiled graph that have a timing.
std::vector<TimedEffort> timed_efforts(const GraphProfile& profile, const ProfileContext& context,
                                       const ProfileSource& source);

/// Times operators of all classes and of many sizes on a runtime, by the same means as those of a model.
std::vector<TimedEffort> time_operators(const Runtime& runtime, std::size_t threads);

/// What `hone hw calibrate` writes: the processor's own rates, and efficiency curves measured on a runtime.
std::string describe_calibrated_on(const Runtime& runtime, double thoroughness = 1);

/// The same without the curves, with a line that says what would be measured with the runtime installed.
std::string describe_calibrated_without(const Runtime& runtime, double thoroughness = 1);

}  // namespace hone
