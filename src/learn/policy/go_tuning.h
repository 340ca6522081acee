#pragma once

#include "learn/policy/go_decoder.h"

namespace hone {

/// Under which a policy's card says that it was trained to make schedules and not about operations, and how.
inline constexpr const char* kGoAboutEntry = "about";
inline constexpr std::string_view kGoAboutPasses = "passes";

/// How a policy is trained on the graph of one search.
struct GoTuning {
  GoDecode decode = GoDecode::list;
  GoTasks tasks;              // that are learned, operation by operation
  std::uint64_t steps = 0;    // at most; or until the budget is spent
  std::size_t samples = 8;    // chains of a step
  std::size_t passes = 7;     // refinements of a chain
  std::size_t pipelines = 0;  // of stages, with which chains of every second step begin, one after another
  double rate = 0.001;
};

}  // namespace hone
