#pragma once

#include "run/runtime/runtime.h"
#include "run/verify/equivalence.h"

namespace hone {

/// A model and how a runtime is told to run it.
struct RuntimeModel {
  ModelToRun model;
  RuntimeOptions options;
};

/// Runs both on a runtime in a child process and compares the second with the first.
Equivalence check_on_runtime(const RuntimeModel& reference, const RuntimeModel& candidate,
                             const EquivalenceOptions& options, const Runtime& runtime);

}  // namespace hone
