#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "graph/ir/model.h"

namespace hone {

/// Mistakes that a rewriting could make.
enum class FaultKind { constant, axis, epsilon, dropped_term, swapped_operands };
inline constexpr FaultKind kFaultKinds[] = {FaultKind::constant, FaultKind::axis, FaultKind::epsilon,
                                            FaultKind::dropped_term, FaultKind::swapped_operands};
std::string_view name_of(FaultKind kind);

/// A model that is not the one it was made from, although it has its signature.
struct Fault {
  Model model;
  std::string what;  // `epsilon of 'norm1' times 10`
};

/// Puts one fault of a kind into a model with static types, at a place and by an amount that are drawn. Nothing where
/// the model has no place for it. What comes out need not run.
std::optional<Fault> inject(const Model& model, FaultKind kind, Rng rng);

}  // namespace hone
