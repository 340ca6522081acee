#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "graph/ops/infer_context.h"

namespace hone {

/// A branch that cannot run on the inputs its graph gets, so that its values have no types.
struct UnrunnableBody {
  SharedGraph body;
  std::string reason;
};

/// What is known of a graph's values before running it, beyond their types. Indexed by value.
struct KnownContents {
  std::vector<std::optional<Tensor>> tensors;     // small values whose contents are certain
  std::vector<std::optional<Contents>> symbolic;  // small integer values with symbolic elements
  std::vector<UnrunnableBody> unrunnable;         // anywhere in the graph
};

/// Sets the type of every value of the model, bodies included, as precisely as the op table can tell. What the file
/// declares is kept where inference knows less. Throws InputError for a node whose inputs do not fit it.
KnownContents infer_types(Model& model);

/// What the user fixes: `--dim batch=8`, `x:1x3x224x224`.
struct FixedDims {
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, Shape> inputs;
};

/// Substitutes the given numbers in the model's inputs (and in every declared type); types must be inferred afterwards.
/// Throws InputError (usage) for a name the model does not have.
void fix_dims(Model& model, const FixedDims& fixed);

}  // namespace hone
