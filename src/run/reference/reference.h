#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// Runs models by the op table's definitions: plain, exact about types, slow. What every other executor is compared to.
class ReferenceInterpreter {
 public:
  /// The model must outlive the interpreter.
  explicit ReferenceInterpreter(const Model& model, std::uint64_t seed = 0) : model_(model), seed_(seed) {}

  /// One datum a graph input, in order; an empty one takes the input's initialiser. Returns one a graph output.
  /// Throws InputError naming the node that cannot be run.
  std::vector<Datum> run(std::span<const Datum> inputs) const;

 private:
  const Model& model_;
  std::uint64_t seed_;
};

/// The operators of the model (bodies and functions included) that the interpreter has no meaning for.
std::vector<std::string> unsupported_operators(const Model& model);

}  // namespace hone
