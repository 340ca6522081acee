#include "run/verify/memory_need.h"

#include <algorithm>

#include "base/error.h"
#include "base/machine_memory.h"
#include "graph/ops/run_estimate.h"

namespace hone {
namespace {

constexpr double kShare = 0.5;  // of the memory, the rest is for others

double bytes_to_run(const Model& model) {
  const RunEstimate run = estimate_run(model);
  return run.weight_bytes + run.peak_bytes;
}

}  // namespace

void require_memory(const Model& model, std::size_t at_once) {
  constexpr double kGigabyte = 1e9;
  const double needed = static_cast<double>(at_once) * bytes_to_run(model), usable = usable_memory_bytes();
  if (needed <= kShare * usable) return;
  fail(
      "{}: running {} takes about {:.3g} GB, more than half of the {:.3g} GB this machine has; --dim and NAME:AxBxC "
      "give "
      "smaller sizes where its inputs leave them open",
      model.source.empty() ? "the model" : model.source, at_once == 1 ? "it" : fmt::format("{} at once", at_once),
      needed / kGigabyte, usable / kGigabyte);
}

std::size_t models_that_fit(const Model& model) {
  constexpr double kMany = 1e6;
  return static_cast<std::size_t>(std::min(kMany, kShare * usable_memory_bytes() / (bytes_to_run(model) + 1)));
}

}  // namespace hone
