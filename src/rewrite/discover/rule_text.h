#pragma once

#include <string>
#include <vector>

#include "rewrite/discover/formula.h"

namespace hone {

/// A rule in the making: what each of its outputs is on the left and on the right. Two outputs that are the parts of
/// one Split are made by one operation.
struct RuleDraft {
  std::vector<Formula> left, right;
};

/// How a draft is written: attributes as variables wherever that is possible or as they are in the world, with more or
/// less said about shapes, and for all values or for finite ones.
struct RuleManner {
  enum class Attributes { open, fixed } attributes = Attributes::open;
  enum class Shapes { any, ranks, same } shapes = Shapes::any;
  enum class Values { all, finite } values = Values::all;
};

/// The manners worth trying, the most general first.
std::vector<RuleManner> manners();

/// The rule in the rule language.
std::string rule_text(const World& world, const RuleDraft& draft, const RuleManner& manner, const std::string& name);

/// `add-mul-mul-as-mul-add`: the operators of both sides.
std::string descriptive_name(const World& world, const RuleDraft& draft);

}  // namespace hone
