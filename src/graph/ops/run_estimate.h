#pragma once

#include "graph/ir/model.h"

namespace hone {

/// What one run of a model takes, as far as static types tell: what has none counts nothing.
struct RunEstimate {
  double weight_bytes = 0;
  double peak_bytes = 0;  // of all other values alive at once, with what operators need while they compute
  double operations = 0;  // arithmetic, and elements that are read or written
};

/// Goes by the types of values; bodies are counted as often as they are known to run, once otherwise.
RunEstimate estimate_run(const Model& model);

}  // namespace hone
