#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "deliver/climb.h"
#include "run/measure/measurement.h"

namespace hone {

/// The runtimes that rewrites are measured on, as far as they are there.
std::vector<std::shared_ptr<const Runtime>> measured_runtimes();

/// A model of the zoo or in a file, cleaned and with types: what rewrites are compared with.
Model cleaned_model(const std::string& name);

/// Families of rules by their names, options of the runtime by those of their moves: what made a proposal.
std::vector<std::string> steps_of(const Proposal& proposal);

/// What is wanted, every move that prices can speak of and that changes something, and pairs of them drawn at random;
/// each once.
std::vector<Proposal> rewrite_samples(const Proposal& start, std::span<const std::optional<Proposal>> wanted,
                                      const Runtime& runtime, Rng rng);

/// How a few rewrites of a model are timed beside it.
MeasureOptions sample_measuring(std::shared_ptr<const Runtime> runtime, double seconds, std::uint64_t seed);

/// What rewrites of a model were measured to take.
struct TimedSamples {
  double seconds = 0;  // of the model itself
  std::vector<RacedProposal> rewrites;
};
/// Times them side by side with the start, a few at a time; those that do not run are left out.
TimedSamples time_samples(const Proposal& start, std::span<const Proposal> rewrites, const MeasureOptions& measuring);

}  // namespace hone
