#include "formats/source/assumed_sizes.h"

#include <algorithm>

#include "base/machine_memory.h"
#include "formats/source/size_guesses.h"

namespace hone {

RunLimits RunLimits::of_this_machine() {
  constexpr double kQuick = 2.5e10;  // operations, which the reference interpreter does in a few seconds
  // Of half of the memory, as a check in double precision with moved weights takes as much as four models.
  constexpr double kShare = 0.5 / 4;
  return {.bytes = kShare * usable_memory_bytes(), .operations = kQuick};
}

bool RunLimits::hold(const RunEstimate& run) const {
  return run.weight_bytes + run.peak_bytes <= bytes && run.operations <= operations;
}

AssumedSizes::AssumedSizes(const Model& model, const RunLimits& limits)
    : variables_(model), limits_(limits), search_(variables_), source_(model.source) {
  if (empty()) return;
  chosen_ = search_.run();
  shrink();
  first_ = chosen_;
  run_.insert(chosen_.sizes);
  constexpr double kMostRuns = 32, kOperations = 2e10;  // of all runs that are refused
  runs_left_ = static_cast<std::size_t>(std::clamp(kOperations / (chosen_.estimate.operations + 1), 2.0, kMostRuns));
}

void AssumedSizes::shrink() {
  while (chosen_.inferred() && !limits_.hold(chosen_.estimate) && take_smaller()) {
  }
}

/// Halves the largest sizes that can be, those first that are the same and may have to stay so.
bool AssumedSizes::take_smaller() {
  std::vector<SizeHandle> handles = size_handles(variables_.all(), chosen_.sizes);
  std::ranges::stable_sort(handles, [&](const SizeHandle& a, const SizeHandle& b) {
    return std::pair(chosen_.sizes[a.front()], a.size()) > std::pair(chosen_.sizes[b.front()], b.size());
  });
  for (const SizeHandle& handle : handles) {
    const std::int64_t size = chosen_.sizes[handle.front()];
    if (size == 1 || trials_left_ == 0) continue;
    --trials_left_;
    SizeTrial trial = search_.attempt(with_size(chosen_.sizes, handle, size / 2));
    const bool saves = trial.estimate.peak_bytes < chosen_.estimate.peak_bytes ||
                       trial.estimate.operations < chosen_.estimate.operations;
    if (!trial.inferred() || trial.unrunnable > chosen_.unrunnable || !saves) continue;
    chosen_ = std::move(trial);
    return true;
  }
  return false;
}

bool AssumedSizes::take_others(std::string_view refusal) {
  if (refusal.starts_with(source_)) refusal.remove_prefix(source_.size());
  SizeTrial refused = chosen_;
  refused.refusal = refusal;
  // What is refused in new words has come past what refused it before: from there on it is changed first.
  if (words_.insert(words_of(refusal)).second) {
    const std::vector<Sizes> changes = search_.others(refused);
    others_.insert(others_.begin(), changes.begin(), changes.end());
  }
  while (runs_left_ > 0 && trials_left_ > 0 && !others_.empty()) {
    const Sizes sizes = std::move(others_.front());
    others_.pop_front();
    if (!run_.insert(sizes).second) continue;
    --trials_left_;
    SizeTrial trial = search_.attempt(sizes);
    if (!trial.inferred() || trial.unrunnable > first_.unrunnable || !limits_.hold(trial.estimate)) continue;
    chosen_ = std::move(trial);
    --runs_left_;
    return true;
  }
  chosen_ = first_;
  return false;
}

}  // namespace hone
