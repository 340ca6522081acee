#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "run/verify/judgement.h"

namespace hone {

/// How one output of two models compares, over all inputs tried.
struct OutputComparison {
  std::string name;
  Difference difference;
  std::optional<ErrorPair> errors = {};  // where the original's own rounding is what was judged by
};

/// The answer of `hone verify`: whether two models compute the same.
struct Equivalence {
  bool equal = true;
  std::string reason;  // which output differs, and how; or which part of the signature
  std::vector<OutputComparison> outputs;
  std::size_t inputs_tried = 0;
  std::string fixed_because = {};  // why a fixed tolerance was used; empty where rounding was what was judged by
};

/// What to try.
struct EquivalenceOptions {
  std::uint64_t seed = 0;
  std::size_t random_inputs = 3;       // how many times to draw
  std::vector<std::string> files;      // see given_inputs; tried once when not empty, instead of drawing
  std::optional<Tolerance> tolerance;  // given by the user, instead of one by the original's own rounding
};

/// A model and something that runs it: one datum an input in, one an output back.
struct RunnableModel {
  using Run = std::function<std::vector<Datum>(std::span<const Datum>)>;
  const Model& model;
  Run run;
  Run run_exactly = {};  // in double precision; may be empty
};

/// Runs both with the same inputs and compares the second with the first, by names of inputs and outputs.
///
/// With `movements` of the first model's outputs, one for each input, the tolerance is by rounding: run exactly, the
/// second model must give the exact outputs but for rounding of its weights, and as it is it must either be about as
/// accurate as the first or within a fixed tolerance of it. Without them, or with a tolerance given, that alone counts.
Equivalence check_equivalence(const RunnableModel& reference, const RunnableModel& candidate,
                              const EquivalenceOptions& options, std::span<const Movement> movements = {});

/// Runs both models on the reference interpreter with the same inputs and compares them likewise.
Equivalence check_equivalence(const Model& reference, const Model& candidate, const EquivalenceOptions& options);

/// `equal on 3 inputs`.
std::string tried_text(const Equivalence& result);

/// What the tolerance was, and why: `largest error 3.1e-06, the original's own is 2.8e-06`. Empty for one given by the
/// user or by type alone.
std::string tolerance_text(const Equivalence& result);

}  // namespace hone
