#include "rewrite/search/space.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "graph/clean/clean.h"
#include "graph/ir/order.h"
#include "graph/ir/verify.h"
#include "graph/ops/infer.h"
#include "rewrite/search/appraisal.h"
#include "rewrite/search/cycle_check.h"

namespace hone {
namespace {

std::uint64_t type_hash(const Type& type, std::uint64_t hash) {
  hash = mix(mix(hash, static_cast<std::uint64_t>(type.element)), type.shape.size());
  for (const Dim dim : type.shape)
    hash = dim.known() ? mix(hash, static_cast<std::uint64_t>(dim.value())) : hash_text(dim.text(), hash);
  return hash;
}

}  // namespace

RewriteSpace::RewriteSpace(const Model& model, Matcher matcher, const NodePricing& pricing, const Deadline& deadline)
    : matcher_(std::move(matcher)), finder_(matcher_), pricing_(pricing), original_values_(model.graph.value_count()) {
  auto start = std::make_shared<RewriteState>();
  start->graph = model.graph;
  const Appraisal appraisal(*this, *start);
  for (const NodeId id : start->graph.nodes()) {
    start->hash += appraisal.node_hash(start->graph.node(id));
    start->seconds += appraisal.seconds(start->graph.node(id));
  }
  start->found = finder_.everywhere(*this, *start, deadline);
  start_ = std::move(start);
}

double RewriteSpace::price(const PricedNode& node) const {
  std::uint64_t key = mix(hash_text(node.node->op->name), attributes_hash(*node.node));
  for (const Type& type : node.inputs) key = type_hash(type, key);
  for (const bool fixed : node.fixed) key = mix(key, fixed ? 1 : 0);
  for (const Type& type : node.outputs) key = type_hash(type, key);
  constexpr std::size_t kParameter = 64;  // elements of a constant that says what to do, as shapes and axes do
  for (const Tensor* tensor : node.contents)
    if (tensor != nullptr && tensor->count() <= kParameter && !is_floating(tensor->type()))
      key = mix(key, tensor->content_hash());
  const std::scoped_lock lock(pricing_nodes_);
  const auto found = prices_.find(key);
  if (found != prices_.end()) return found->second;
  const double seconds = pricing_.seconds(node);
  prices_.emplace(key, seconds);
  return seconds;
}

std::vector<RewriteOption> RewriteSpace::options(const RewriteState& state, const Deadline& deadline) const {
  std::vector<RewriteOption> options;
  std::unordered_set<std::uint64_t> seen;
  CycleCheck cycles(state.graph);
  for (const auto& each : state.found) {
    if (deadline.is_over()) break;
    if (!cycles.closes(each->match) && seen.insert(each->hash).second)
      options.push_back({.match = std::shared_ptr<const Match>(each, &each->match),
                         .seconds = state.seconds + each->seconds,
                         .hash = state.hash + each->hash,
                         .nodes = each->nodes});
  }
  return options;
}

StatePointer RewriteSpace::take(const StatePointer& state, const RewriteOption& option,
                                const Deadline& deadline) const {
  Match match = *option.match;
  match.bindings.graph = &state->graph;
  const std::optional<Replacement> change = replacement(match, matcher_.setting());
  HONE_CHECK(change.has_value(), "rule {} offered what it cannot do", match.rule->name);
  Appraisal appraisal(*this, *state);
  appraisal.consider(*change);
  auto next = std::make_shared<RewriteState>();
  next->graph = state->graph;
  next->seconds = option.seconds;
  next->hash = option.hash;
  next->classes = state->classes;
  next->classes.insert(next->classes.end(), appraisal.made().begin(), appraisal.made().end());
  next->before = state;
  next->rule = match.rule;
  next->depth = state->depth + 1;
  next->change = apply(next->graph, *change);
  next->found = finder_.around(*this, *state, *next, *change, deadline);
  return next;
}

StatePointer RewriteSpace::adopt(Graph graph, const Deadline& deadline) const {
  auto next = std::make_shared<RewriteState>();
  next->graph = std::move(graph);
  next->classes.resize(next->graph.value_count() - original_values_);
  for (std::size_t i = original_values_; i < next->graph.value_count(); ++i)
    if (const auto& constant = next->graph.value(ValueId(i)).constant)
      next->classes[i - original_values_] = constant_class(*constant);
  const Appraisal appraisal(*this, *next);
  for (const NodeId id : topological_order(next->graph)) {
    const Node& node = next->graph.node(id);
    const std::uint64_t hash = appraisal.node_hash(node);
    for (std::size_t slot = 0; slot < node.outputs.size(); ++slot)
      if (const ValueId output = node.outputs[slot]; output.valid() && output.index() >= original_values_)
        next->classes[output.index() - original_values_] = output_class(hash, slot);
    next->hash += hash;
    next->seconds += appraisal.seconds(node);
  }
  next->before = start_;
  next->depth = 1;
  next->found = finder_.everywhere(*this, *next, deadline);
  return next;
}

double RewriteSpace::node_seconds(const Graph& graph, NodeId id) const {
  return Appraisal(*this, graph).seconds(graph.node(id));
}

Model RewriteSpace::finish(const Model& original, const RewriteState& state) const {
  Model model = original;
  model.graph = state.graph;
  model.opsets = matcher_.setting().opsets;
  // Domains are imported only where something uses them.
  std::erase_if(model.opsets.imports, [&](const auto& import) {
    const std::string& domain = import.first;
    return original.opsets.version(domain) == 0 && std::ranges::none_of(model.graph.nodes(), [&](NodeId id) {
             return model.graph.node(id).op->domain == domain;
           });
  });
  name_new_values(model.graph, original.graph.value_count());
  remove_dead_code(model);
  constexpr double kMostFlops = 1e10;  // a product of two weights of 1,000 by 1,000 takes 2e9
  fold_constants(model, {.fold_bytes = 1 << 20, .fold_flops = kMostFlops});
  remove_identities(model);
  merge_common_subexpressions(model);
  remove_dead_code(model);
  infer_types(model);
  if (const auto fault = verify(model)) fail("{}: a rewritten model is not valid: {}", original.source, *fault);
  return model;
}

}  // namespace hone
