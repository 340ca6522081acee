#pragma once

#include "run/runtime/runtime.h"
#include "run/verify/equivalence.h"

namespace hone {

/// A model and how a runtime is told to run it.
struct RuntimeModel {
  ModelToRun model;
  RuntimeOptions options;
};

/// Runs both on a runtime in a child process and compares the second with the first. What rounding does to the first
/// one's outputs is given by `movements`, one for each input tried; without them, and where a fixed tolerance refuses
/// the second, runs of the first with inputs and weights moved by a unit in the last place tell it.
Equivalence check_on_runtime(const RuntimeModel& reference, const RuntimeModel& candidate,
                             const EquivalenceOptions& options, const Runtime& runtime,
                             std::span<const Movement> movements = {});

}  // namespace hone
