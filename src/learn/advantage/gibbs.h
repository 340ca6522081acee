#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "learn/advantage/decision_units.h"
#include "plan/search/evaluator.h"

namespace hone {

/// How a chain of configurations is drawn.
struct GibbsSettings {
  std::uint64_t evaluations = 1000;  // of the whole chain
  double temperature = 1;            // in units of what an operation costs on average at the start
  std::size_t block = 16;            // decisions that are looked at in one configuration; 1: as published
  std::uint64_t seed = 0;
};

/// What changing one decision of a configuration would cost more, all others being as they are.
struct AdvantageSample {
  std::uint32_t configuration = 0, unit = 0, option = 0;
  double advantage = 0;
};

/// What a chain has seen.
struct GibbsChain {
  std::vector<Decisions> configurations;
  std::vector<AdvantageSample> samples;
};

/// Gibbs sampling over decisions: units are gone through in drawn order, all options of each are evaluated, and one is
/// drawn with a probability proportional to exp(-cost / temperature). Several units that share no operation are drawn
/// in the same configuration, so that one view of the graph serves all of them. All reads of an operation at once are
/// evaluated too, but never drawn, since there may be no way back. `units` are those of the task.
GibbsChain sample_chain(const Problem& problem, const Task& task, const DecisionUnits& units, Evaluator& evaluator,
                        const Plan& start, const GibbsSettings& settings);

}  // namespace hone
