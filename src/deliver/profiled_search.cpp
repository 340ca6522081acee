#include "deliver/profiled_search.h"

#include <algorithm>

#include "base/interrupt.h"
#include "graph/ops/infer.h"
#include "rewrite/search/node_origin.h"

namespace hone {
namespace {

constexpr int kPasses = 2;  // of searching and timing what was met

/// The state with the origins of all nodes that rewriting made: the original nodes that were taken away for them.
RewriteState with_origins(const RewriteState& last) {
  std::vector<const RewriteState*> way;
  for (const RewriteState* state = &last; state->before; state = state->before.get()) way.push_back(state);
  std::ranges::reverse(way);
  std::map<NodeId, std::vector<std::string>> origins;
  RewriteState noted = last;
  for (const RewriteState* state : way) {
    std::vector<std::string> names;
    for (const NodeId id : state->change.removed) {
      const auto made = origins.find(id);
      for (const std::string& name : made != origins.end() ? made->second : original_names(state->before->graph, id))
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    for (const NodeId id : state->change.added) {
      origins[id] = names;
      if (last.graph.alive(id)) note_origin(noted.graph, id, state->rule->name, names);
    }
  }
  return noted;
}

Model typed(const Model& model) {
  Model copy = model;
  infer_types(copy);
  return copy;
}

}  // namespace

/// `taso:alpha=1.05,budget=100` is `search taso`; a search over a few families goes by their names.
std::string ProfiledSearch::step_name(const std::string& method) const {
  return options_.rules == "all" ? "search " + method.substr(0, method.find(':')) : "rules " + options_.rules;
}

bool ProfiledSearch::is_first(const Model& from, std::uint64_t found, const std::string& method) const {
  return finders_.try_emplace({&from, found}, method).first->second == method;
}

double ProfiledSearch::predicted_seconds(const Model& given) const {
  const Model model = typed(given);
  const ProfilePricing pricing(timings_, model, dim_sizes(model, options_.made_static(model)));
  return RewriteSpace(model, Matcher({}, RuleSetting::of(model, options_.domains)), pricing).start()->seconds;
}

Matcher ProfiledSearch::matcher_for(const Model& model) const {
  return {select_rules(options_.rules), RuleSetting::of(model, options_.domains)};
}

StatePointer ProfiledSearch::best_of(const RewriteSpace& space, const std::string& method) const {
  RewriteSettings settings = options_.settings;
  if (settings.announce) settings.announce = [&](const std::string&) { options_.settings.announce(step_name(method)); };
  RewriteSearch search(space, settings);
  RewriteMethodKind::make_by(method)->run(search);
  return search.best_state();
}

std::size_t ProfiledSearch::learn(const Model& given, const Timer& time) {
  const Model model = typed(given);
  const DimSizes sizes = dim_sizes(model, options_.made_static(model));
  std::size_t timed = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const ProfilePricing pricing(timings_, model, sizes);
    const RewriteSpace space(model, matcher_for(model), pricing);
    for (const std::string& method : options_.methods)
      if (!interrupted()) best_of(space, method);
    timings_.calibration = pricing.calibration();
    if (pricing.unknown().model.graph.node_count() == 0 || interrupted()) break;
    for (const NodeTiming& timing : time(pricing.unknown()).records()) {
      timed += timings_.table.find(timing.context, timing.config) ? 0 : 1;
      timings_.table.add(timing);
    }
  }
  return timed;
}

std::optional<Proposal> ProfiledSearch::improve(const Proposal& from, const std::string& method) const {
  const Model model = typed(*from.model);
  const ProfilePricing pricing(timings_, model, dim_sizes(model, options_.made_static(model)));
  const RewriteSpace space(model, matcher_for(model), pricing);
  const StatePointer best = best_of(space, method);
  if (best->depth == 0 || !is_first(*from.model, best->hash, method)) return std::nullopt;
  Proposal to = from;
  to.model = std::make_shared<const Model>(space.finish(model, with_origins(*best)));
  to.steps.push_back({.part = Part::model, .name = step_name(method), .sites = best->depth});
  return to;
}

std::vector<Move> ProfiledSearch::moves() const {
  std::vector<Move> moves;
  for (const std::string& method : options_.methods)
    moves.push_back({.kind = Move::Kind::model,
                     .name = step_name(method),
                     .apply = [this, method](const Proposal& from) { return improve(from, method); }});
  return moves;
}

}  // namespace hone
