#include "rewrite/search/egraph.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "graph/ir/compare.h"
#include "graph/ir/order.h"
#include "graph/ops/evaluate.h"

namespace hone {
namespace {

constexpr std::size_t kSmall = 4096;  // elements of constants that are told apart by contents; weights are by id

const OpName* identity() {
  static const OpName* const name = OpName::intern("", "Identity");
  return name;
}

bool has_two_orders(const Node& node) { return node.inputs.size() == 2 && is_commutative(node.op); }

Node swapped(Node node) {
  std::swap(node.inputs[0], node.inputs[1]);
  return node;
}

/// Equal for nodes that compute the same; not 0.
std::uint64_t key_of(const Node& node) {
  const std::uint64_t key = hash_text(node.op->name);
  std::uint64_t inputs = 0;  // of which the order matters unless there are two
  for (const ValueId input : node.inputs)
    inputs = has_two_orders(node) ? inputs + mix(1, input.index()) : mix(inputs, input.index());
  std::uint64_t names = 0;  // of which the order does not matter
  for (const Attribute& attribute : *node.attributes) names += hash_text(attribute.name);
  return std::max<std::uint64_t>(1, mix(mix(mix(key, inputs), names), node.outputs.size()));
}

bool are_equal(const Node& a, const Node& b) {
  if (a.outputs.size() != b.outputs.size()) return false;
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    if (a.outputs[i].valid() != b.outputs[i].valid()) return false;
  return same_computation(a, b) || (has_two_orders(a) && same_computation(swapped(a), b));
}

}  // namespace

EGraph::EGraph(const Graph& graph, RuleSetting setting)
    : graph_(graph), setting_(std::move(setting)), originals_(graph.value_count()) {
  for (std::size_t i = 0; i < originals_; ++i) {
    parents_.emplace_back(i);
    members_.push_back({ValueId(i)});
    const std::optional<Tensor>& contents = graph.value(ValueId(i)).constant;
    if (contents && contents->count() <= kSmall && fixed_contents(graph, ValueId(i), setting_.defaults) != nullptr)
      constants_.emplace(contents->content_hash(), ValueId(i));
  }
  ages_.assign(originals_, 0);
  for (const NodeId id : topological_order(graph)) {
    for (const ValueId output : graph.node(id).outputs)
      if (output.valid()) ages_[output.index()] = next_age_;
    ++next_age_;
    disturbed_.push_back(id);
  }
  std::ranges::reverse(disturbed_);  // the last is looked at first
  rebuild();
}

ValueId EGraph::leader(ValueId id) const {
  while (parents_[id.index()] != id) {
    const ValueId above = parents_[id.index()];
    parents_[id.index()] = parents_[above.index()];
    id = above;
  }
  return id;
}

std::vector<ValueId> EGraph::leaders() const {
  std::vector<ValueId> found;
  for (std::size_t i = 0; i < parents_.size(); ++i)
    if (parents_[i] == ValueId(i)) found.emplace_back(i);
  return found;
}

ValueId EGraph::oldest(ValueId leader) const {
  return *std::ranges::min_element(members(leader), {}, [&](ValueId id) { return ages_[id.index()]; });
}

void EGraph::add(const Replacement& replacement) {
  std::vector<ValueId> made(replacement.values.size());
  for (std::size_t i = 0; i < made.size(); ++i)
    if (replacement.values[i].constant) made[i] = constant(*replacement.values[i].constant);
  const auto place = [&](ValueId id) { return id.index() - replacement.first_value; };
  const auto is_new = [&](ValueId id) { return id.index() >= replacement.first_value; };
  for (const Node& given : replacement.nodes) {
    Node node = given;
    for (ValueId& input : node.inputs)
      if (input.valid()) input = is_new(input) ? made[place(input)] : input;
    std::vector<Type> types;
    for (const ValueId output : given.outputs)
      types.push_back(is_new(output) ? replacement.values[place(output)].type : graph_.value(output).type);
    const Ids outputs = insert(std::move(node), types);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (is_new(given.outputs[i])) made[place(given.outputs[i])] = outputs[i];
      else join(given.outputs[i], outputs[i]);
    }
  }
  for (const auto& [from, to] : replacement.aliases) join(from, is_new(to) ? made[place(to)] : to);
}

void EGraph::add(const Graph& rewritten) {
  std::vector<ValueId> here(rewritten.value_count());
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::optional<Tensor>& contents = rewritten.value(ValueId(i)).constant;
    if (i < originals_) here[i] = ValueId(i);
    else if (contents) here[i] = constant(*contents);
  }
  for (const NodeId id : topological_order(rewritten)) {
    Node node = rewritten.node(id);
    if (!is_shareable(node)) continue;  // rules make none, so it is one of those that are here
    const Ids theirs = node.outputs;
    std::vector<Type> types;
    for (const ValueId output : theirs) types.push_back(output.valid() ? rewritten.value(output).type : Type());
    for (ValueId& input : node.inputs) {
      if (!input.valid()) continue;
      input = here[input.index()];
      HONE_CHECK(input.valid(), "a rewritten graph reads what nothing in it makes");
    }
    const Ids outputs = insert(std::move(node), types);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!theirs[i].valid() || !outputs[i].valid()) continue;
      if (theirs[i].index() < originals_) join(theirs[i], outputs[i]);
      else here[theirs[i].index()] = outputs[i];
    }
  }
}

void EGraph::rebuild() {
  while (!disturbed_.empty()) {
    const NodeId id = disturbed_.back();
    disturbed_.pop_back();
    if (graph_.alive(id) && (id.index() >= keys_.size() || keys_[id.index()] == 0)) repair(id);
  }
}

ValueId EGraph::new_value(const Type& type) {
  const ValueId id = graph_.add_value({}, type);
  parents_.push_back(id);
  members_.push_back({id});
  ages_.push_back(next_age_);
  return id;
}

ValueId EGraph::constant(const Tensor& tensor) {
  const std::uint64_t key = tensor.content_hash();
  const auto [begin, end] = constants_.equal_range(key);
  for (auto entry = begin; entry != end; ++entry)
    if (*graph_.value(entry->second).constant == tensor) return entry->second;
  const ValueId id = new_value(Type::tensor(tensor.type(), tensor.shape()));
  graph_.set_constant(id, tensor);
  constants_.emplace(key, id);
  return id;
}

/// The outputs of a node that computes this, which is added where there is none.
EGraph::Ids EGraph::insert(Node node, std::span<const Type> types) {
  for (ValueId& input : node.inputs)
    if (input.valid()) input = leader(input);
  if (node.op == identity()) return {node.inputs[0]};
  if (const NodeId twin = twin_of(node); twin.valid()) return graph_.node(twin).outputs;
  ++next_age_;
  Ids outputs;
  for (std::size_t i = 0; i < types.size(); ++i)
    outputs.push_back(node.outputs[i].valid() ? new_value(types[i]) : ValueId());
  const NodeId id = graph_.add_node(node.op, std::span(node.inputs.begin(), node.inputs.size()),
                                    std::span(outputs.begin(), outputs.size()), *node.attributes);
  enter(id);
  return outputs;
}

NodeId EGraph::twin_of(const Node& node) const {
  const auto [begin, end] = table_.equal_range(key_of(node));
  const auto twin =
      std::find_if(begin, end, [&](const auto& entry) { return are_equal(graph_.node(entry.second), node); });
  return twin == end ? NodeId() : twin->second;
}

/// Two nodes of what hone does not know, or that draws at random, may differ in what they compute.
bool EGraph::is_shareable(const Node& node) const {
  const OpEntry* const entry = definition_of(node, setting_.opsets).entry;
  return entry != nullptr && entry->deterministic && node.captured == 0;
}

void EGraph::enter(NodeId id) {
  if (keys_.size() <= id.index()) keys_.resize(id.index() + 1, 0);
  keys_[id.index()] = key_of(graph_.node(id));
  table_.emplace(keys_[id.index()], id);
}

void EGraph::leave(NodeId id) {
  if (id.index() >= keys_.size() || keys_[id.index()] == 0) return;
  const auto [begin, end] = table_.equal_range(keys_[id.index()]);
  table_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == id; }));
  keys_[id.index()] = 0;
}

void EGraph::disturb_readers(ValueId id) {
  for (const Use& use : graph_.users(id)) {
    leave(use.node);
    disturbed_.push_back(use.node);
  }
}

/// Which of two values should lead their class: the one that says most of what the class is.
int EGraph::rank(ValueId id) const {
  if (fixed_contents(graph_, id, setting_.defaults) != nullptr) return 3;
  if (is_source(id)) return 2;
  return is_fixed(graph_, id, setting_.defaults) ? 1 : 0;
}

/// Makes two classes one; false when their types differ.
bool EGraph::join(ValueId a, ValueId b) {
  a = leader(a);
  b = leader(b);
  if (a == b) return true;
  if (!(graph_.value(a).type == graph_.value(b).type)) return false;
  const auto order = [&](ValueId id) { return std::pair(-rank(id), ages_[id.index()]); };
  if (order(b) < order(a)) std::swap(a, b);
  disturb_readers(b);
  graph_.replace_uses(b, a);
  std::vector<ValueId>& joined = members_[a.index()];
  joined.insert(joined.end(), members_[b.index()].begin(), members_[b.index()].end());
  members_[b.index()].clear();
  parents_[b.index()] = a;
  return true;
}

/// Makes a value the leader of its class.
void EGraph::lead(ValueId id) {
  const ValueId before = leader(id);
  if (before == id) return;
  disturb_readers(before);
  graph_.replace_uses(before, id);
  members_[id.index()] = std::move(members_[before.index()]);
  members_[before.index()].clear();
  parents_[before.index()] = id;
  parents_[id.index()] = id;
}

void EGraph::repair(NodeId id) {
  if (!is_shareable(graph_.node(id))) return;
  const NodeId twin = twin_of(graph_.node(id));
  if (!twin.valid()) return enter(id);
  const auto age = [&](NodeId node) {
    const Ids& outputs = graph_.node(node).outputs;
    const auto first = std::ranges::find_if(outputs, &ValueId::valid);
    return first == outputs.end() ? 0 : ages_[first->index()];
  };
  if (age(twin) <= age(id)) return unite(twin, id);
  leave(twin);
  enter(id);
  unite(id, twin);
}

/// Lets one of two equal nodes stand for both.
void EGraph::unite(NodeId kept, NodeId dropped) {
  const Ids to = graph_.node(kept).outputs, from = graph_.node(dropped).outputs;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i].valid() && !(graph_.value(to[i]).type == graph_.value(from[i]).type)) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].valid()) continue;
    join(to[i], from[i]);
    if (leader(from[i]) == from[i]) lead(to[i]);
    std::erase(members_[leader(to[i]).index()], from[i]);
  }
  graph_.remove_node(dropped);
}

}  // namespace hone
