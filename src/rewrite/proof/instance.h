#pragma once

#include <optional>

#include "graph/ir/model.h"
#include "rewrite/proof/numbers.h"
#include "rewrite/proof/scope.h"
#include "rewrite/rules/rule.h"

namespace hone {

/// What an instance of a rule is made for.
struct InstanceSetting {
  std::int64_t opset = 17;
  ElementType element = ElementType::float64;
  DrawnNumbers numbers;  // of constants
  Scope scope;
};

/// Builds the left side of a rule as a model: shapes, attributes and constants are chosen so that every operator
/// accepts them and the conditions on shapes and attributes hold. The others are left to the matcher. Nullopt when the
/// choices lead nowhere.
std::optional<Model> make_instance(const Rule& rule, const InstanceSetting& setting, Choices& choices);

/// Whether conditions that shapes and attributes decide are looked at.
enum class InstanceConditions { ignored, heeded };

/// Adds the left side of a rule to a graph that has tensors already; inputs of the rule are sometimes those. False when
/// the choices lead nowhere, in which case the model is not to be used.
bool plant_instance(Model& model, const Rule& rule, const InstanceSetting& setting, Choices& choices,
                    InstanceConditions conditions);

/// Whether the rule can be applied anywhere in the model.
bool applies(const Rule& rule, const Model& model);

}  // namespace hone
