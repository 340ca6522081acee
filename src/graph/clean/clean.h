#pragma once

#include <string_view>
#include <vector>

#include "graph/ir/model.h"

namespace hone {

/// Bounds for the clean-up.
struct CleanOptions {
  /// A folded constant may be this large even when it is larger than what it replaces. Folding trades time for bytes,
  /// and a model that grows by gigabytes is no clean-up.
  std::uint64_t fold_bytes = 1 << 20;
  /// What takes more arithmetic than this is left to the runtime.
  double fold_flops = 1e8;
};

/// How often each pass changed something.
struct CleanReport {
  std::vector<std::pair<std::string_view, std::size_t>> changes;  // by pass, in the order the passes run
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
};

/// Brings a model into the form all later work starts from: constants folded, shape arithmetic resolved where it is
/// certain, no identities, no common subexpressions, no dead code; types inferred. The signature stays as it is.
CleanReport clean(Model& model, const CleanOptions& options = {});

// The passes, each also useful alone. All return the number of changes and need inferred types.

/// Values of bodies that have the name of a value around them get another: once a pass makes a body read that value,
/// the name has to lead to it.
std::size_t separate_names(Model& model);
/// Nodes whose inputs are all constants become constants. Quantisation stays: a runtime needs it next to the operator.
std::size_t fold_constants(Model& model, const CleanOptions& options);
/// Nodes whose output is their input: Identity, Dropout, Cast to the same type, Reshape to the same shape, x * 1, ...
std::size_t remove_identities(Model& model);
/// Nodes that compute what another node computes, and constants with the same contents.
std::size_t merge_common_subexpressions(Model& model);
/// Nodes and constants nobody needs; an operator of a domain that hone does not know stays, as it may do more than
/// compute its outputs.
std::size_t remove_dead_code(Model& model);

}  // namespace hone
