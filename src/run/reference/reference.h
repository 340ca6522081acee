#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// In which precision real numbers are computed.
enum class Precision {
  as_written,  // every value in its own type
  doubled,  // floats and halves with the digits of doubles and their own range, also where a Cast would round to them
};

/// Runs models by the op table's definitions: plain, exact about types, slow. What every other executor is compared to.
class ReferenceInterpreter {
 public:
  /// The model must outlive the interpreter.
  explicit ReferenceInterpreter(const Model& model, std::uint64_t seed = 0, Precision precision = Precision::as_written)
      : model_(model), seed_(seed), precision_(precision) {}

  /// One datum a graph input, in order; an empty one takes the input's initialiser. Returns one a graph output, which
  /// holds doubles for floats and halves when precision is doubled.
  /// Throws InputError naming the node that cannot be run.
  std::vector<Datum> run(std::span<const Datum> inputs) const;

 private:
  const Model& model_;
  std::uint64_t seed_;
  Precision precision_;
};

/// Runs one node of the model's own graph on what it reads, captured values included, and returns one datum an output.
std::vector<Datum> run_node(const Model& model, NodeId id, std::span<const Datum> inputs);

/// The operators of the model (bodies and functions included) that the interpreter has no meaning for.
std::vector<std::string> unsupported_operators(const Model& model);

}  // namespace hone
