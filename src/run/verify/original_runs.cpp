#include "run/verify/original_runs.h"

#include "base/timer.h"
#include "run/reference/reference.h"
#include "run/verify/inputs.h"

namespace hone {

OriginalRuns::OriginalRuns(Model original, EquivalenceOptions options)
    : original_(std::move(original)), options_(std::move(options)) {
  const Timer timer;
  const std::size_t rounds = options_.files.empty() ? options_.random_inputs : 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    inputs_.push_back(given_inputs(original_, options_.files, options_.seed + round));
    results_.push_back(ReferenceInterpreter(original_, options_.seed).run(inputs_.back()));
  }
  seconds_ = timer.seconds();
  if (options_.tolerance) return;
  study_ = study_rounding(original_, inputs_, options_.seed);
  seconds_ += study_.exact_seconds;
}

Equivalence OriginalRuns::compare(const Model& candidate) const {
  std::size_t round = 0;
  const auto remembered = [&](std::span<const Datum>) { return results_[round++]; };
  const auto run_in = [&](Precision precision) {
    return [this, &candidate, precision](std::span<const Datum> inputs) {
      return ReferenceInterpreter(candidate, options_.seed, precision).run(inputs);
    };
  };
  Equivalence result = check_equivalence(
      RunnableModel{original_, remembered},
      RunnableModel{candidate, run_in(Precision::as_written), run_in(Precision::doubled)}, options_, movements());
  if (!options_.tolerance) result.fixed_because = study_.obstacle;
  return result;
}

}  // namespace hone
