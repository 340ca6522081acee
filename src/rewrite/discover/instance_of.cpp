#include "rewrite/discover/instance_of.h"

#include <set>

#include "graph/ir/structural_hash.h"
#include "rewrite/proof/instance.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

/// What the rules make of a model, in one step each.
std::set<std::uint64_t> results_of(const Model& model, std::span<const Rule* const> rules) {
  std::set<std::uint64_t> results;
  const Matcher matcher(rules, RuleSetting::of(model));
  matcher.visit(model.graph, [&](const Match& match) {
    if (const std::optional<Replacement> change = replacement(match, matcher.setting())) {
      Graph graph = model.graph;
      apply(graph, *change);
      results.insert(structural_hash(graph));
    }
    return true;
  });
  return results;
}

}  // namespace

bool is_instance_of_any(const Rule& rule, std::span<const Rule* const> known) {
  constexpr std::size_t kInstances = 4, kAttempts = 400;
  const Rule* const alone[] = {&rule};
  Choices choices = Choices::random(1);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < kAttempts && compared < kInstances; ++i) {
    const std::optional<Model> model = make_instance(rule, {.opset = 17, .scope = kScopes[1]}, choices);
    if (!model) continue;
    const std::set<std::uint64_t> wanted = results_of(*model, alone);
    if (wanted.empty()) continue;
    const std::set<std::uint64_t> made = results_of(*model, known);
    if (std::ranges::none_of(wanted, [&](std::uint64_t hash) { return made.contains(hash); })) return false;
    ++compared;
  }
  return compared == kInstances;
}

}  // namespace hone
