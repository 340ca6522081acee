#include "run/profile/group_content.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "plan/problem/lower.h"
#include "run/profile/node_config.h"

namespace hone {
namespace {

enum class InputMark : std::uint64_t { absent = 1, made_here, read, constant, result_of_model };

std::uint64_t mix_mark(std::uint64_t hash, InputMark mark) { return mix(hash, static_cast<std::uint64_t>(mark)); }

}  // namespace

GroupContent::GroupContent(const Model& model, const Workload& workload)
    : model_(model), workload_(workload), nodes_(operation_nodes(model.graph)) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    configs_.push_back(hash_text(node_config(model, nodes_[i])));
    operation_of_.resize(std::max<std::size_t>(operation_of_.size(), nodes_[i].index() + 1), UINT32_MAX);
    operation_of_[nodes_[i].index()] = static_cast<std::uint32_t>(i);
  }
}

/// Of what the group makes: by whom. Of anything else: which of those it is, and what kind of operator makes it.
std::uint64_t GroupContent::input_key(const KernelView& group, ValueId input, std::vector<ValueId>& outer) const {
  if (!input.valid()) return mix_mark(0, InputMark::absent);
  const Value& value = model_.graph.value(input);
  const std::uint32_t maker = value.producer.valid() && value.producer.index() < operation_of_.size()
                                  ? operation_of_[value.producer.index()]
                                  : UINT32_MAX;
  if (maker != UINT32_MAX)
    if (const auto found = std::ranges::find(group.instances, OperationId(maker)); found != group.instances.end()) {
      return mix(mix(mix_mark(0, InputMark::made_here), static_cast<std::uint64_t>(found - group.instances.begin())),
                 value.slot);
    }
  if (value.constant) return mix_mark(0, InputMark::constant);
  auto place = std::ranges::find(outer, input);
  if (place == outer.end()) place = outer.insert(outer.end(), input);
  const std::uint64_t hash = mix(mix_mark(0, InputMark::read), static_cast<std::uint64_t>(place - outer.begin()));
  return maker == UINT32_MAX ? hash : hash_text(model_.graph.node(value.producer).op->text(), hash);
}

std::uint64_t GroupContent::readers_key(ValueId output) const {
  std::set<std::string> kinds;
  for (const Use& use : model_.graph.users(output)) kinds.insert(model_.graph.node(use.node).op->text());
  std::uint64_t hash = model_.graph.is_output(output) ? mix_mark(0, InputMark::result_of_model) : 0;
  for (const std::string& kind : kinds) hash = hash_text(kind, hash);
  return hash;
}

std::uint64_t GroupContent::key(const KernelView& group) const {
  std::uint64_t hash = group.instances.size();
  std::vector<ValueId> outer;
  for (const OperationId id : group.instances) {
    const Node& node = model_.graph.node(nodes_[id.index()]);
    hash = mix(hash, configs_[id.index()]);
    for (const ValueId input : node.inputs) hash = mix(hash, input_key(group, input, outer));
    std::size_t made = 0;
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const bool is_stored = std::ranges::find(group.stored, workload_.outputs(id)[made++]) != group.stored.end();
      hash = mix(hash, is_stored ? readers_key(output) : 0);
    }
  }
  return hash;
}

}  // namespace hone
