#pragma once

#include <optional>

#include "ir/model.h"
#include "ops/datum.h"
#include "proof/choices.h"
#include "rules/rule.h"

namespace hone {

/// Which numbers to draw: those above zero are for roots, logarithms and divisors.
enum class Sign { any, positive };

/// What an instance of a rule is made for.
struct InstanceSetting {
  std::int64_t opset = 17;
  ElementType element = ElementType::float64;
  Sign sign = Sign::any;  // of constants and inputs
};

/// Builds the left side of a rule as a model: shapes, attributes and constants are chosen so that every operator
/// accepts them. Whether the rule's conditions hold is left to the matcher. Nullopt when the choices lead nowhere.
std::optional<Model> make_instance(const Rule& rule, const InstanceSetting& setting, Choices& choices);

/// Adds the left side of a rule to a graph that has tensors already; inputs of the rule are sometimes those. False when
/// the choices lead nowhere, in which case the model is not to be used.
bool plant_instance(Model& model, const Rule& rule, const InstanceSetting& setting, Choices& choices);

/// A tensor of small multiples of a quarter, which sums and products of doubles keep exact.
Tensor small_numbers(const Type& type, Choices& choices, Sign sign);

/// One such datum for every input of the model.
std::vector<Datum> small_inputs(const Model& model, Choices& choices, Sign sign);

}  // namespace hone
