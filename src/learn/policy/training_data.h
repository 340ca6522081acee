#pragma once

#include <functional>
#include <vector>

#include "plan/problem/workload.h"

namespace hone {

/// What a trainer can ask for besides its request: only one that learns from graphs has them loaded. Others read files
/// of their own, or make their examples.
struct TrainingData {
  std::function<std::vector<Workload>()> workloads;  // what the user named; throws InputError
};

}  // namespace hone
