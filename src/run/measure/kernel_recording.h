#pragma once

#include "run/measure/measurement.h"

namespace hone {

/// Runs a model `runs` times after a warm-up in a child process, with the runtime recording each kernel. Throws
/// InputError (usage) for a runtime that cannot.
KernelProfile record_kernels(const Candidate& candidate, const MeasureOptions& options, std::size_t runs);

}  // namespace hone
