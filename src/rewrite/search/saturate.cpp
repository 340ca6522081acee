#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "rewrite/search/extracted_graph.h"
#include "rewrite/search/method.h"

// Equality saturation, as Tensat does it for tensor graphs (Yang et al., MLSys 2021): instead of replacing, rules add
// their right sides to an e-graph, until nothing is new or a limit is met; then the cheapest graph is chosen from it.
//
// Rules are matched by the matcher of all other methods, on the e-graph as it is (`EGraph` is a graph with classes): an
// operand of a pattern is whatever any node of its class makes. Each round matches on a graph that stands still, and
// adds what it found afterwards. Rules with several outputs (Tensat's multi-patterns) multiply fastest and take part in
// the first `multi` rounds only. What was chosen is descended from greedily in the space of whole graphs, which goes on
// where the limits ended the rounds.
//
// With `seeds`, backtracking runs for so many expansions first, and what it found best is added to the e-graph before
// the rules are: the choice is then at least as good.

namespace hone {
namespace {

struct SaturateParameters {
  std::int64_t rounds = 15, multi = 2, nodes = 20'000, seeds = 0;
  std::int64_t tree = 200;
  double seconds = 10, choosing = 10;
  std::string extract = "greedy";
  Parameters list() {
    return Parameters()
        .add("rounds", &rounds, {0, 1e6}, "times that all rules are added")
        .add("multi", &multi, {0, 1e6}, "rounds in which rules with several outputs take part")
        .add("nodes", &nodes, {1, 1e8}, "nodes of the e-graph, where it stops growing")
        .add("seconds", &seconds, {0, 1e6}, "time for growing")
        .add("seeds", &seeds, {0, 1e9}, "graphs that backtracking expands first, whose best is added")
        .add("extract", &extract, "how to choose: greedy or ilp")
        .add("tree", &tree, {0, 1e9}, "nodes of the search tree of extract=ilp")
        .add("choosing", &choosing, {0, 1e6}, "time for extract=ilp");
  }
};

std::uint64_t place_of(const Match& match) {
  std::uint64_t hash = hash_text(match.rule->name);
  for (const auto& nodes : match.nodes)
    for (const NodeId id : nodes) hash = mix(hash, id.index());
  for (const auto& tensors : match.bindings.tensors) {
    hash = mix(hash, tensors.size());
    for (const ValueId id : tensors) hash = mix(hash, id.index());
  }
  return hash;
}

/// A matcher of those rules that have one output.
Matcher single_patterns(const Matcher& matcher) {
  std::vector<const Rule*> rules = matcher.rules();
  std::erase_if(rules, [](const Rule* rule) { return rule->outputs.size() > 1; });
  return {rules, matcher.setting()};
}

/// Half of the time is for growing: what the rules added is worth nothing before something is chosen from it.
Deadline growing_until(const RewriteSearch& search, const SaturateParameters& parameters) {
  const Deadline whole = search.deadline();
  return whole.or_in(std::min(parameters.seconds, whole.seconds_left() / 2));
}

/// Grows an e-graph round by round.
class Growth {
 public:
  Growth(RewriteSearch& search, const SaturateParameters& parameters)
      : search_(search),
        parameters_(parameters),
        deadline_(growing_until(search, parameters)),
        all_(search.space().matcher()),
        single_(single_patterns(all_)),
        egraph_(search.start()->graph, all_.setting()),
        filter_(egraph_) {}

  const EGraph& egraph() const { return egraph_; }
  const CycleFilter& filter() const { return filter_; }

  void add(const Graph& rewritten) {
    egraph_.add(rewritten);
    settle();
  }

  void run() {
    for (std::int64_t round = 0; round < parameters_.rounds && !is_spent(); ++round) {
      const std::vector<Replacement> found = collect(round < parameters_.multi ? all_ : single_);
      search_.count_expansion(found.size());
      if (found.empty()) return;
      for (const Replacement& each : found) egraph_.add(each);
      settle();
    }
  }

 private:
  bool is_spent() const {
    return search_.spent() || deadline_.is_over() || egraph_.graph().node_count() >= most_nodes();
  }
  std::size_t most_nodes() const { return static_cast<std::size_t>(parameters_.nodes); }

  void settle() {
    egraph_.rebuild();
    filter_.update();
  }

  /// What the rules would add, other than what they added before.
  std::vector<Replacement> collect(const Matcher& matcher) {
    std::vector<Replacement> found;
    const Graph& graph = egraph_.graph();
    std::size_t nodes = graph.node_count();
    const Matcher::Visitor visit = [&](const Match& match) {
      if (deadline_.is_over()) return false;
      if (!seen_.insert(place_of(match)).second) return true;
      std::optional<Replacement> change = replacement(match, matcher.setting());
      if (!change || filter_.would_close_cycle(*change)) return true;
      nodes += change->nodes.size();
      found.push_back(std::move(*change));
      return nodes < most_nodes();
    };
    for (std::size_t i = 0; i < graph.node_slots(); ++i) {
      if (!graph.alive(NodeId(i))) continue;
      if (deadline_.is_over()) break;
      if (!matcher.visit_at(graph, NodeId(i), visit, &egraph_)) break;
    }
    return found;
  }

  RewriteSearch& search_;
  const SaturateParameters& parameters_;
  Deadline deadline_;
  const Matcher& all_;
  Matcher single_;
  EGraph egraph_;
  CycleFilter filter_;
  std::unordered_set<std::uint64_t> seen_;  // places where a rule has been applied
};

class Saturate final : public RewriteMethod {
 public:
  explicit Saturate(const SaturateParameters& parameters)
      : parameters_(parameters), extraction_(ExtractionKind::named(parameters.extract)) {}

  void run(RewriteSearch& search) override {
    if (parameters_.seeds > 0)
      RewriteMethodKind::make_by(fmt::format("taso:budget={}", parameters_.seeds))->run(search);
    Growth growth(search, parameters_);
    if (search.best_state() != search.start()) growth.add(search.best_state()->graph);
    growth.run();
    if (search.deadline().is_over()) return;
    const EGraphExtraction extraction(growth.egraph(), growth.filter(), [&](const Graph& graph, NodeId id) {
      return search.space().node_seconds(graph, id);
    });
    const Selection near = descend(extraction.problem(), extraction.oldest(), search.deadline());
    const Selection chosen =
        extraction_.improve(extraction.problem(), near,
                            {.nodes = parameters_.tree, .deadline = search.deadline().or_in(parameters_.choosing)});
    std::unordered_set<std::uint64_t> tried;
    for (const Selection& each : {near, chosen}) {
      const StatePointer state = search.space().adopt(extraction.build(search.start()->graph, each), search.deadline());
      search.offer(state);
      if (tried.insert(state->hash).second) search.descend(state);
    }
  }

 private:
  SaturateParameters parameters_;
  const ExtractionKind& extraction_;
};

const RewriteMethodKind saturate_kind = RewriteMethodKind::with_parameters<Saturate, SaturateParameters>(
    "saturate", "equality saturation: all rewrites at once, then the cheapest choice");

}  // namespace
}  // namespace hone
