#include "rewrite/search/everywhere.h"

#include <algorithm>

#include "base/interrupt.h"
#include "graph/clean/clean.h"
#include "rewrite/rules/match.h"
#include "rewrite/rules/replacement.h"
#include "rewrite/search/node_origin.h"

namespace hone {
namespace {

/// Rules that undo one another must not go on for ever.
constexpr std::size_t kMostPerNode = 4, kMostPasses = 3;

/// Applies one rule to a graph until it matches nowhere.
class Application {
 public:
  Application(Graph& graph, const Rule& rule, const RuleSetting& setting)
      : graph_(graph), rule_(rule), matcher_({&rule_pointer_, 1}, setting), left_(kMostPerNode * graph.node_count()) {}

  std::size_t run() {
    const std::size_t first_new = graph_.value_count();
    // New nodes come at the end, so that they are looked at as well.
    for (std::size_t i = 0; i < graph_.node_slots(); ++i)
      while (left_ > 0 && graph_.alive(NodeId(i)) && apply_at(NodeId(i))) --left_, ++applied_;
    if (applied_ > 0) name_new_values(graph_, first_new);  // once, as it looks at all names there are
    return applied_;
  }

 private:
  bool apply_at(NodeId root) {
    std::optional<Replacement> found;
    std::vector<std::string> origins;
    matcher_.visit_at(graph_, root, [&](const Match& match) {
      found = replacement(match, matcher_.setting());
      if (found) origins = origins_of(match);
      return !found;
    });
    if (!found) return false;
    const Change change = apply(graph_, *found);
    for (const NodeId id : change.added) note_origin(graph_, id, rule_.name, origins);
    return true;
  }

  std::vector<std::string> origins_of(const Match& match) const {
    std::vector<std::string> names;
    for (const auto& list : match.nodes)
      for (const NodeId id : list)
        for (std::string& name : original_names(graph_, id))
          if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    return names;
  }

  Graph& graph_;
  const Rule& rule_;
  const Rule* rule_pointer_ = &rule_;
  Matcher matcher_;
  std::size_t left_;
  std::size_t applied_ = 0;
};

}  // namespace

std::size_t apply_everywhere(Model& model, std::span<const Rule* const> rules,
                             const std::vector<std::string>& allowed) {
  const RuleSetting setting = RuleSetting::of(model, allowed);
  std::size_t applied = 0;
  for (std::size_t pass = 0; pass < kMostPasses; ++pass) {
    const std::size_t before = applied;
    for (const Rule* rule : rules) {
      if (interrupted()) return applied;
      if (!rule->domain.empty() && std::ranges::find(allowed, rule->domain) == allowed.end()) continue;
      const std::size_t count = Application(model.graph, *rule, setting).run();
      if (count == 0) continue;
      if (!rule->domain.empty()) model.opsets = setting.opsets;
      applied += count;
      remove_identities(model);  // or the next rule would not see past what only passes values on
    }
    if (applied == before) break;
    clean(model);
  }
  return applied;
}

}  // namespace hone
