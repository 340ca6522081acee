#pragma once

#include "run/measure/measurement.h"
#include "run/onnxruntime/profile.h"

namespace hone {

/// Runs a model `runs` times after a warm-up in a child process, with ONNX Runtime recording each kernel.
ort::RunProfile profile_kernels(const Candidate& candidate, const MeasureOptions& options, std::size_t runs);

}  // namespace hone
