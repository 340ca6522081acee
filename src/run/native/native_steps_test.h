#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/runtime/runtime.h"

namespace hone::native {

/// What a model runs natively, step by step.
inline std::vector<std::string> steps_of(const Model& model, std::span<const Datum> inputs) {
  const auto host = RuntimeKind::named("native").make("")->start(1);
  const auto profile = host->record_kernels({model, {}}, {}, inputs, 1);
  std::vector<std::string> kinds;
  for (const auto& kernel : profile->kernels) kinds.push_back(kernel.op);
  return kinds;
}

}  // namespace hone::native
