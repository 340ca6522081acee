#include "rewrite/proof/differential.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "graph/ir/print.h"
#include "graph/ir/verify.h"
#include "rewrite/proof/fuzz_graph.h"
#include "rewrite/proof/perturbed.h"
#include "rewrite/proof/same_results.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

constexpr std::size_t kMostTurns = 4;           // for one graph
constexpr std::int64_t kMostElements = 20'000;  // of one tensor after rewriting

std::vector<const Rule*> rules_of(const FuzzOptions& options) {
  return options.rules.empty() ? select_rules("all") : options.rules;
}

bool has_symbols(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [&](ValueId id) { return !is_static(graph.value(id).type.shape); });
}

class RewriteFuzz {
 public:
  explicit RewriteFuzz(const FuzzOptions& options) : options_(options), rules_(rules_of(options)) {
    std::ranges::copy_if(rules_, std::back_inserter(rules_for_special_),
                         [](const Rule* rule) { return !rule->assumes_finite; });
  }

  FuzzReport run() {
    for (std::size_t i = 0; report_.graphs < options_.graphs && i < kMostTurns * options_.graphs; ++i) {
      const Rule& aimed = *rules_[i % rules_.size()];
      Choices choices = Choices::random(mix(options_.seed, i));
      const std::optional<FuzzGraph> graph = aimed_graph(aimed, choices);
      if (!graph) continue;
      ++report_.graphs;
      report_.symbolic += has_symbols(graph->model.graph) ? 1 : 0;
      report_.special += graph->finite ? 0 : 1;
      try_graph(*graph, aimed, choices);
    }
    name_unused();
    return report_;
  }

 private:
  std::optional<FuzzGraph> aimed_graph(const Rule& aimed, Choices& choices) const {
    constexpr std::size_t kTries = 6;  // many opsets and types are none that the rule speaks of
    std::optional<FuzzGraph> graph;
    for (std::size_t i = 0; !graph && i < kTries; ++i) graph = random_fuzz_graph(rules_, aimed, choices);
    return graph;
  }

  void try_graph(const FuzzGraph& graph, const Rule& aimed, Choices& choices) {
    meet(graph.model.graph);
    const Matcher matcher(graph.finite ? rules_ : rules_for_special_, RuleSetting::of(graph.model, {"com.microsoft"}));
    Model after = graph.model;
    std::string path;
    const std::size_t wanted = 1 + choices.pick(options_.most_rewrites);
    for (std::size_t i = 0; i < wanted; ++i) {
      // What comes first may break the pattern that the graph was made for.
      const Rule* preferred = i == 0 && choices.pick(2) == 0 ? &aimed : nullptr;
      const std::optional<Replacement> change = random_rewrite(after.graph, matcher, preferred, choices);
      if (!change || !has_small_tensors(after.graph, kMostElements)) break;
      apply(after.graph, *change);
      meet(after.graph);
      path += change->rule->name + " ";
      used_.insert(change->rule);
      ++report_.rewrites;
    }
    name_new_values(after.graph, graph.model.graph.value_count());
    judge(graph, after, path);
  }

  void judge(const FuzzGraph& graph, const Model& after, const std::string& path) {
    const auto text = [&](const std::string& fault) {
      return fmt::format("{}: {}\n{}\nbecame\n{}", path, fault, print(graph.model), print(after));
    };
    std::optional<std::string> fault = verify(after);
    if (!fault) {
      const SameResults same = compare_results(graph.model, after, graph.inputs,
                                               {.special = ResultComparison::Special::compared, .allowed = {}});
      if (!same.difference) return;
      fault = unexplained_by_rounding(graph.model, after, graph.inputs);
      if (!fault) {
        if (report_.unsteady++ == 0) report_.first_unsteady = text(*same.difference);
        return;
      }
    }
    if (report_.differences++ == 0) report_.first = text(*fault);
  }

  static std::optional<Replacement> random_rewrite(const Graph& graph, const Matcher& matcher, const Rule* preferred,
                                                   Choices& choices) {
    std::vector<Match> matches = matcher.matches(graph), first;
    std::ranges::copy_if(matches, std::back_inserter(first),
                         [&](const Match& match) { return match.rule == preferred; });
    std::optional<Replacement> change = any_replacement(std::move(first), matcher, choices);
    return change ? change : any_replacement(std::move(matches), matcher, choices);
  }

  static std::optional<Replacement> any_replacement(std::vector<Match> matches, const Matcher& matcher,
                                                    Choices& choices) {
    while (!matches.empty()) {
      const std::size_t at = choices.pick(matches.size());
      if (std::optional<Replacement> change = replacement(matches[at], matcher.setting())) return change;
      matches.erase(matches.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return std::nullopt;
  }

  void meet(const Graph& graph) {
    for (const NodeId id : graph.nodes()) met_.insert(graph.node(id).op);
  }

  void name_unused() {
    std::set<std::string> unmet;
    for (const Rule* rule : rules_) {
      if (!used_.contains(rule)) report_.unused_rules.push_back(rule->name);
      for (const auto* side : {&rule->left, &rule->right})
        for (const RuleOperation& operation : *side)
          if (operation.op != nullptr && !met_.contains(operation.op)) unmet.insert(operation.op->text());
    }
    report_.unmet_operators.assign(unmet.begin(), unmet.end());
  }

  FuzzOptions options_;
  std::vector<const Rule*> rules_, rules_for_special_;
  std::set<const Rule*> used_;
  std::set<const OpName*> met_;
  FuzzReport report_;
};

}  // namespace

FuzzReport fuzz_rewrites(const FuzzOptions& options) { return RewriteFuzz(options).run(); }

}  // namespace hone
