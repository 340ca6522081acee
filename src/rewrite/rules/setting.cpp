#include "rewrite/rules/setting.h"

#include <algorithm>

namespace hone {
namespace {

/// How long a chain of operators over constants may be that rules have made and nothing has folded yet.
constexpr int kMostFixedDepth = 32;

bool is_fixed(const Graph& graph, ValueId id, RuleSetting::Defaults defaults, int depth) {
  const Value& value = graph.value(id);
  if (value.constant) return fixed_contents(graph, id, defaults) != nullptr;
  if (!value.producer.valid() || depth == 0) return false;
  const Node& node = graph.node(value.producer);
  return !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](ValueId input) {
    return !input.valid() || is_fixed(graph, input, defaults, depth - 1);
  });
}

}  // namespace

RuleSetting RuleSetting::of(const Model& model, std::vector<std::string> allowed) {
  RuleSetting setting{.opsets = model.opsets,
                      .defaults = model.ir_version.value_or(4) < 4 ? Defaults::fixed : Defaults::overridable,
                      .domains = std::move(allowed)};
  for (const std::string& domain : setting.domains)
    if (setting.opsets.version(domain) == 0) setting.opsets.imports.emplace_back(domain, 1);
  return setting;
}

bool is_fixed(const Graph& graph, ValueId id, RuleSetting::Defaults defaults) {
  return is_fixed(graph, id, defaults, kMostFixedDepth);
}

const Tensor* fixed_contents(const Graph& graph, ValueId id, RuleSetting::Defaults defaults) {
  const Value& value = graph.value(id);
  if (!value.constant || (defaults == RuleSetting::Defaults::overridable && graph.is_input(id))) return nullptr;
  return &*value.constant;
}

}  // namespace hone
