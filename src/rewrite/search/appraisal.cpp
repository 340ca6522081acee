#include "rewrite/search/appraisal.h"

#include <algorithm>

#include "base/hash.h"

namespace hone {
namespace {

enum Role : std::uint64_t { kOriginal = 1, kContents, kMade, kAbsent, kNode };

}  // namespace

std::uint64_t constant_class(const Tensor& constant) { return mix(kContents, constant.content_hash()); }

std::uint64_t output_class(std::uint64_t node_hash, std::size_t slot) { return mix(mix(kMade, node_hash), slot); }

std::uint64_t attributes_hash(const Node& node) {
  std::uint64_t sum = 0;  // their order does not matter
  for (const Attribute& attribute : *node.attributes)
    sum += hash_of(term_of(attribute.value), hash_text(attribute.name));
  return sum;
}

Appraisal::Appraisal(const RewriteSpace& space, const RewriteState& state)
    : space_(space), graph_(state.graph), classes_(&state.classes), defaults_(space.matcher().setting().defaults) {}

Appraisal::Appraisal(const RewriteSpace& space, const Graph& graph)
    : space_(space), graph_(graph), classes_(nullptr), defaults_(space.matcher().setting().defaults) {}

void Appraisal::consider(const Replacement& replacement) {
  replacement_ = &replacement;
  fixed_.assign(replacement.values.size(), false);
  made_.assign(replacement.values.size(), 0);
  for (std::size_t i = 0; i < replacement.values.size(); ++i) {
    if (!replacement.values[i].constant) continue;
    fixed_[i] = true;
    made_[i] = constant_class(*replacement.values[i].constant);
  }
  for (const Node& node : replacement.nodes) {
    const bool fixed = is_free(node);
    const std::uint64_t hash = node_hash(node);
    for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const ValueId id = node.outputs[slot];
      if (id.index() < replacement.first_value) continue;
      fixed_[id.index() - replacement.first_value] = fixed;
      made_[id.index() - replacement.first_value] = output_class(hash, slot);
    }
  }
}

bool Appraisal::is_fixed_value(ValueId id) const {
  return is_added(id) ? fixed_[id.index() - replacement_->first_value] : is_fixed(graph_, id, defaults_);
}

bool Appraisal::is_free(const Node& node) const {
  return std::ranges::all_of(node.inputs, [&](ValueId id) { return !id.valid() || is_fixed_value(id); });
}

std::uint64_t Appraisal::class_of(ValueId id) const {
  if (!id.valid()) return mix(kAbsent, 0);
  if (is_added(id)) return made_[id.index() - replacement_->first_value];
  if (id.index() >= space_.original_values()) return (*classes_)[id.index() - space_.original_values()];
  constexpr std::size_t kSmall = 64;  // parameters of operators; weights are told apart by id
  const std::optional<Tensor>& constant = graph_.value(id).constant;
  if (constant && constant->count() <= kSmall) return constant_class(*constant);
  return mix(kOriginal, id.index());
}

std::uint64_t Appraisal::node_hash(const Node& node) const {
  std::uint64_t hash = mix(mix(kNode, hash_text(node.op->name)), node.outputs.size());
  for (const ValueId input : node.inputs) hash = mix(hash, class_of(input));
  return mix(hash, attributes_hash(node));
}

std::uint64_t Appraisal::hash_with(Node node, ValueId from, ValueId to) const {
  std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  return node_hash(node);
}

double Appraisal::seconds(const Node& node) const {
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

const Type& Appraisal::type_of(ValueId id) const {
  return is_added(id) ? replacement_->values[id.index() - replacement_->first_value].type : graph_.value(id).type;
}

const Tensor* Appraisal::contents_of(ValueId id) const {
  if (!is_added(id)) return fixed_contents(graph_, id, defaults_);
  const std::optional<Tensor>& constant = replacement_->values[id.index() - replacement_->first_value].constant;
  return constant ? &*constant : nullptr;
}

}  // namespace hone
