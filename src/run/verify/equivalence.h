#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/verify/compare.h"

namespace hone {

/// How one output of two models compares, over all inputs tried.
struct OutputComparison {
  std::string name;
  Difference difference;
};

/// The answer of `hone verify`: whether two models compute the same.
struct Equivalence {
  bool equal = true;
  std::string reason;  // which output differs, and how; or which part of the signature
  std::vector<OutputComparison> outputs;
  std::size_t inputs_tried = 0;
};

/// What to try.
struct EquivalenceOptions {
  std::uint64_t seed = 0;
  std::size_t random_inputs = 3;       // how many times to draw
  std::vector<std::string> files;      // see given_inputs; tried once when not empty, instead of drawing
  std::optional<Tolerance> tolerance;  // instead of the default by type
};

/// A model and something that runs it: one datum an input in, one an output back.
struct RunnableModel {
  const Model& model;
  std::function<std::vector<Datum>(std::span<const Datum>)> run;
};
/// Runs both with the same inputs and compares the second with the first, by names of inputs and outputs.
Equivalence check_equivalence(const RunnableModel& reference, const RunnableModel& candidate,
                              const EquivalenceOptions& options);

/// Runs both models on the reference interpreter with the same inputs and compares them likewise.
Equivalence check_equivalence(const Model& reference, const Model& candidate, const EquivalenceOptions& options);

}  // namespace hone
