#pragma once

#include <gtest/gtest.h>

#include <string>

#include "graph/clean/clean.h"
#include "graph/clean/clean_case_test.h"
#include "rewrite/rules/replacement.h"

// For tests of rules: a small model in the text form, before and after.

namespace hone {

/// Applies a rule once, at the first place where it can be, and expects the model to compute the same. Empty when the
/// rule does not apply.
inline std::optional<Model> rewritten(const Model& before, std::span<const Rule* const> rules) {
  const Matcher matcher(rules, RuleSetting::of(before, {"com.microsoft"}));
  std::optional<Model> after;
  matcher.visit(before.graph, [&](const Match& match) {
    const auto change = replacement(match, matcher.setting());
    if (!change) return true;
    after = before;
    after->opsets = matcher.setting().opsets;
    apply(after->graph, *change);
    name_new_values(after->graph, before.graph.value_count());
    return false;
  });
  if (!after) return after;
  remove_dead_code(*after);
  expect_stands_in(before, *after);
  return after;
}

/// Operators after a built-in rule was applied once; `-` when it does not apply.
inline std::string after_rule(std::string_view rule, const Model& before) {
  const std::optional<Model> after = rewritten(before, select_rules(rule));
  return after ? operators(after->graph) : "-";
}

}  // namespace hone
