#pragma once

#include "rewrite/proof/instance.h"
#include "rewrite/search/cycle_filter.h"

// For tests of e-graphs: random models, and e-graphs that have grown.

namespace hone {

inline std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> rules;
  for (const Rule& rule : builtin_rules()) rules.push_back(&rule);
  return rules;
}

/// Several left sides of rules that hang together; sometimes nothing.
inline Model planted_model(const InstanceSetting& setting, Choices& choices) {
  const std::vector<const Rule*> rules = all_rules();
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", setting.opset}, {"com.microsoft", 1}};
  model.source = "random";
  for (int planted = 0; planted < 4; ++planted) {
    Model larger = model;
    if (plant_instance(larger, *rules[choices.pick(rules.size())], setting, choices, InstanceConditions::ignored))
      model = std::move(larger);
  }
  return model;
}

/// Adds once what all rules find, up to a limit.
inline void grow(EGraph& egraph, CycleFilter& filter, const Matcher& matcher) {
  std::vector<Replacement> found;
  const auto visit = [&](const Match& match) {
    auto change = replacement(match, matcher.setting());
    if (change && !filter.would_close_cycle(*change)) found.push_back(std::move(*change));
    return found.size() < 200;
  };
  for (const NodeId id : egraph.graph().nodes()) matcher.visit_at(egraph.graph(), id, visit, &egraph);
  for (const Replacement& each : found) egraph.add(each);
  egraph.rebuild();
  filter.update();
}

}  // namespace hone
