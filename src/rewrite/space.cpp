#include "rewrite/space.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "clean/clean.h"
#include "ir/order.h"
#include "ir/verify.h"
#include "ops/infer.h"

namespace hone {
namespace {

enum Role : std::uint64_t { kOriginal = 1, kContents, kMade, kAbsent, kNode };

std::uint64_t attributes_hash(const Node& node) {
  std::uint64_t sum = 0;  // their order does not matter
  for (const Attribute& attribute : *node.attributes)
    sum += hash_of(term_of(attribute.value), hash_text(attribute.name));
  return sum;
}

std::uint64_t type_hash(const Type& type, std::uint64_t hash) {
  hash = mix(mix(hash, static_cast<std::uint64_t>(type.element)), type.shape.size());
  for (const Dim dim : type.shape)
    hash = dim.known() ? mix(hash, static_cast<std::uint64_t>(dim.value())) : hash_text(dim.text(), hash);
  return hash;
}

}  // namespace

/// Looks at nodes of a state, and at those that a replacement would add to it.
class RewriteSpace::Appraisal {
 public:
  Appraisal(const RewriteSpace& space, const Graph& graph, std::span<const std::uint64_t> classes,
            std::size_t first_added)
      : space_(space),
        graph_(graph),
        classes_(classes),
        first_added_(first_added),
        defaults_(space.matcher_.setting().defaults) {}

  void consider(const Replacement& replacement) {
    replacement_ = &replacement;
    fixed_.assign(replacement.values.size(), false);
    made_.assign(replacement.values.size(), 0);
    for (std::size_t i = 0; i < replacement.values.size(); ++i) {
      if (!replacement.values[i].constant) continue;
      fixed_[i] = true;
      made_[i] = mix(kContents, replacement.values[i].constant->content_hash());
    }
    for (const Node& node : replacement.nodes) {
      const bool fixed =
          std::ranges::all_of(node.inputs, [&](ValueId id) { return !id.valid() || is_fixed_value(id); });
      const std::uint64_t hash = node_hash(node);
      for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
        const ValueId id = node.outputs[slot];
        if (id.index() < replacement.first_value) continue;
        fixed_[id.index() - replacement.first_value] = fixed;
        made_[id.index() - replacement.first_value] = mix(mix(kMade, hash), slot);
      }
    }
  }

  const std::vector<std::uint64_t>& made() const { return made_; }

  bool is_added(ValueId id) const { return replacement_ != nullptr && id.index() >= replacement_->first_value; }

  bool is_fixed_value(ValueId id) const {
    return is_added(id) ? fixed_[id.index() - replacement_->first_value] : is_fixed(graph_, id, defaults_);
  }

  /// Whether the node is computed from constants alone, and so goes away when they are folded.
  bool is_free(const Node& node) const {
    return std::ranges::all_of(node.inputs, [&](ValueId id) { return !id.valid() || is_fixed_value(id); });
  }

  std::uint64_t class_of(ValueId id) const {
    if (!id.valid()) return mix(kAbsent, 0);
    if (is_added(id)) return made_[id.index() - replacement_->first_value];
    if (id.index() >= first_added_) return classes_[id.index() - first_added_];
    constexpr std::size_t kSmall = 64;  // parameters of operators; weights are told apart by id
    const std::optional<Tensor>& constant = graph_.value(id).constant;
    if (constant && constant->count() <= kSmall) return mix(kContents, constant->content_hash());
    return mix(kOriginal, id.index());
  }

  std::uint64_t node_hash(const Node& node) const {
    std::uint64_t hash = mix(mix(kNode, hash_text(node.op->name)), node.outputs.size());
    for (const ValueId input : node.inputs) hash = mix(hash, class_of(input));
    return mix(hash, attributes_hash(node));
  }

  /// The hash of a node once it reads one value instead of another.
  std::uint64_t hash_with(Node node, ValueId from, ValueId to) const {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    return node_hash(node);
  }

  double seconds(const Node& node) const {
    if (is_free(node)) return 0;
    PricedNode priced{.node = &node, .inputs = {}, .fixed = {}, .contents = {}, .outputs = {}};
    for (const ValueId id : node.written_inputs()) {
      priced.inputs.push_back(id.valid() ? type_of(id) : Type());
      priced.fixed.push_back(id.valid() && is_fixed_value(id));
      priced.contents.push_back(id.valid() ? contents_of(id) : nullptr);
    }
    for (const ValueId id : node.outputs) priced.outputs.push_back(id.valid() ? type_of(id) : Type());
    return space_.price(priced);
  }

 private:
  const Type& type_of(ValueId id) const {
    return is_added(id) ? replacement_->values[id.index() - replacement_->first_value].type : graph_.value(id).type;
  }

  const Tensor* contents_of(ValueId id) const {
    if (!is_added(id)) return fixed_contents(graph_, id, defaults_);
    const std::optional<Tensor>& constant = replacement_->values[id.index() - replacement_->first_value].constant;
    return constant ? &*constant : nullptr;
  }

  const RewriteSpace& space_;
  const Graph& graph_;
  std::span<const std::uint64_t> classes_;
  std::size_t first_added_;
  RuleSetting::Defaults defaults_;
  const Replacement* replacement_ = nullptr;
  std::vector<bool> fixed_;          // of values that the replacement adds
  std::vector<std::uint64_t> made_;  // their classes
};

RewriteSpace::RewriteSpace(const Model& model, Matcher matcher, const NodePricing& pricing)
    : matcher_(std::move(matcher)), pricing_(pricing) {
  auto start = std::make_shared<RewriteState>();
  start->graph = model.graph;
  const Appraisal appraisal(*this, start->graph, {}, start->graph.value_count());
  for (const NodeId id : start->graph.nodes()) {
    start->hash += appraisal.node_hash(start->graph.node(id));
    start->seconds += appraisal.seconds(start->graph.node(id));
  }
  start_ = std::move(start);
}

double RewriteSpace::price(const PricedNode& node) const {
  std::uint64_t key = mix(hash_text(node.node->op->name), attributes_hash(*node.node));
  for (const Type& type : node.inputs) key = type_hash(type, key);
  for (const bool fixed : node.fixed) key = mix(key, fixed ? 1 : 0);
  for (const Type& type : node.outputs) key = type_hash(type, key);
  const auto found = prices_.find(key);
  if (found != prices_.end()) return found->second;
  const double seconds = pricing_.seconds(node);
  prices_.emplace(key, seconds);
  return seconds;
}

std::vector<RewriteOption> RewriteSpace::options(const RewriteState& state) const {
  std::vector<RewriteOption> options;
  std::unordered_set<std::uint64_t> seen;
  Appraisal appraisal(*this, state.graph, state.classes, start_->graph.value_count());
  const auto consider = [&](const Match& match) {
    const std::optional<Replacement> change = replacement(match, matcher_.setting());
    if (!change) return true;
    appraisal.consider(*change);
    RewriteOption option{.match = nullptr, .seconds = state.seconds, .hash = state.hash, .nodes = 0};
    for (const Node& node : change->nodes) {
      option.seconds += appraisal.seconds(node);
      option.hash += appraisal.node_hash(node);
      option.nodes += appraisal.is_free(node) ? 0 : 1;
    }
    for (const NodeId id : change->removed) {
      const Node& node = state.graph.node(id);
      option.seconds -= appraisal.seconds(node);
      option.hash -= appraisal.node_hash(node);
      option.nodes -= appraisal.is_free(node) ? 0 : 1;
    }
    for (const auto& [from, to] : change->aliases)
      for (const Use& use : state.graph.users(from))
        if (std::ranges::find(change->removed, use.node) == change->removed.end())
          option.hash += appraisal.hash_with(state.graph.node(use.node), from, to) -
                         appraisal.node_hash(state.graph.node(use.node));
    if (!seen.insert(option.hash).second) return true;
    option.match = std::make_shared<const Match>(match);
    options.push_back(std::move(option));
    return true;
  };
  matcher_.visit(state.graph, consider);
  return options;
}

StatePointer RewriteSpace::take(const StatePointer& state, const RewriteOption& option) const {
  Match match = *option.match;
  match.bindings.graph = &state->graph;
  const std::optional<Replacement> change = replacement(match, matcher_.setting());
  HONE_CHECK(change.has_value(), "rule {} offered what it cannot do", match.rule->name);
  Appraisal appraisal(*this, state->graph, state->classes, start_->graph.value_count());
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
  return next;
}

StatePointer RewriteSpace::adopt(Graph graph) const {
  auto next = std::make_shared<RewriteState>();
  const std::size_t first_added = start_->graph.value_count();
  next->classes.resize(graph.value_count() - first_added);
  const Appraisal appraisal(*this, graph, next->classes, first_added);
  for (std::size_t i = first_added; i < graph.value_count(); ++i)
    if (const auto& constant = graph.value(ValueId(i)).constant)
      next->classes[i - first_added] = mix(kContents, constant->content_hash());
  for (const NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    const std::uint64_t hash = appraisal.node_hash(node);
    for (std::size_t slot = 0; slot < node.outputs.size(); ++slot)
      if (const ValueId output = node.outputs[slot]; output.valid() && output.index() >= first_added)
        next->classes[output.index() - first_added] = mix(mix(kMade, hash), slot);
    next->hash += hash;
    next->seconds += appraisal.seconds(node);
  }
  next->before = start_;
  next->depth = 1;
  next->graph = std::move(graph);
  return next;
}

double RewriteSpace::node_seconds(const Graph& graph, NodeId id) const {
  return Appraisal(*this, graph, {}, graph.value_count()).seconds(graph.node(id));
}

double RewriteSpace::total_seconds(const Graph& graph) const {
  const Appraisal appraisal(*this, graph, {}, graph.value_count());
  double seconds = 0;
  for (const NodeId id : graph.nodes()) seconds += appraisal.seconds(graph.node(id));
  return seconds;
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
