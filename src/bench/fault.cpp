#include "bench/fault.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/error.h"
#include "graph/ir/op_name.h"

namespace hone {
namespace {

/// A place for a fault, and what to do there.
struct FaultSite {
  std::string what;
  std::function<void(Graph&)> change;
};
using FaultSites = std::vector<FaultSite>;

template <class T, std::size_t count>
T one_of(const T (&choices)[count], Rng& rng) {
  return choices[rng.below(count)];
}

constexpr double kConstantFactors[] = {0, -1, 0.5, 0.99, 1.001, 1.01, 1.1, 2};
constexpr double kEpsilonFactors[] = {0, 0.1, 0.5, 2, 10, 100};

bool is_small_positive(const Tensor& tensor) {
  constexpr double kMostEpsilon = 2e-3;
  return tensor.count() == 1 && tensor.number_at(0) > 0 && tensor.number_at(0) < kMostEpsilon;
}

/// The tensor with some of its elements multiplied.
Tensor scaled(const Tensor& tensor, std::size_t first, std::size_t count, double factor) {
  Tensor changed = Tensor::zeros(tensor.type(), tensor.dims());
  for (std::size_t i = 0; i < tensor.count(); ++i)
    changed.set_number(i, tensor.number_at(i) * (i >= first && i < first + count ? factor : 1));
  return changed;
}

FaultSite scaled_constant(const Graph& graph, ValueId id, double factor, Rng& rng) {
  const std::size_t all = graph.value(id).constant->count();
  const bool whole = rng.below(2) == 0;
  const std::size_t first = whole ? 0 : rng.below(all), count = whole ? all : 1;
  return {fmt::format("{} of '{}' times {}", whole ? "all" : "one element", graph.value(id).name, factor),
          [=](Graph& changed) { changed.set_constant(id, scaled(*changed.value(id).constant, first, count, factor)); }};
}

bool is_real_constant(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return !value.users.empty() && is_floating(value.constant->type()) && value.constant->count() > 0;
}

FaultSites constant_sites(const Graph& graph, Rng& rng) {
  FaultSites sites;
  for (const ValueId id : graph.initializers())
    if (is_real_constant(graph, id)) sites.push_back(scaled_constant(graph, id, one_of(kConstantFactors, rng), rng));
  return sites;
}

FaultSites epsilon_sites(const Graph& graph, Rng& rng) {
  FaultSites sites;
  for (const ValueId id : graph.initializers())
    if (is_real_constant(graph, id) && is_small_positive(*graph.value(id).constant))
      sites.push_back(scaled_constant(graph, id, one_of(kEpsilonFactors, rng), rng));
  for (const NodeId id : graph.nodes()) {
    const Attribute* attribute = graph.node(id).attribute("epsilon");
    const auto* epsilon = attribute ? std::get_if<float>(&attribute->value) : nullptr;
    if (epsilon == nullptr) continue;
    const auto factor = static_cast<float>(one_of(kEpsilonFactors, rng));
    Attribute other = *attribute;
    other.value = *epsilon * factor;
    sites.push_back({fmt::format("epsilon of '{}' times {}", graph.node(id).name, factor),
                     [=](Graph& changed) { changed.set_attribute(id, other); }});
  }
  return sites;
}

/// The numbers with one axis replaced by another of the same tensor.
std::vector<std::int64_t> with_other_axis(std::vector<std::int64_t> axes, std::size_t rank, Rng& rng) {
  if (axes.empty() || rank < 2) return axes;
  std::int64_t& axis = axes[rng.below(axes.size())];
  const auto size = static_cast<std::int64_t>(rank);
  axis = (axis + (axis < 0 ? size : 0) + rng.between(1, size - 1)) % size;
  return axes;
}

std::optional<Attribute> with_other_axis(const Attribute& attribute, std::size_t rank, Rng& rng) {
  Attribute other = attribute;
  if (const auto* axis = std::get_if<std::int64_t>(&attribute.value); axis && attribute.name == "axis")
    other.value = with_other_axis({*axis}, rank, rng)[0];
  else if (const auto* axes = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
    if (attribute.name == "axes") other.value = with_other_axis(*axes, rank, rng);
    if (attribute.name != "perm" || axes->size() < 2)
      return attribute.name == "axes" ? std::optional(other) : std::nullopt;
    std::vector<std::int64_t> swapped = *axes;
    const std::size_t first = rng.below(swapped.size() - 1);
    std::swap(swapped[first], swapped[first + 1]);
    other.value = swapped;
  } else {
    return std::nullopt;
  }
  return other;
}

FaultSites axis_sites(const Graph& graph, Rng& rng) {
  FaultSites sites;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.inputs.empty() || !node.inputs[0].valid()) continue;
    const std::size_t rank = graph.value(node.inputs[0]).type.shape.size();
    for (const Attribute& attribute : *node.attributes)
      if (const auto other = with_other_axis(attribute, rank, rng))
        sites.push_back({fmt::format("{} of '{}' ({})", attribute.name, node.name, node.op->text()),
                         [id, other](Graph& changed) { changed.set_attribute(id, *other); }});
    const bool reduces = node.op->name.starts_with("Reduce") && node.inputs.size() > 1 && node.inputs[1].valid();
    if (!reduces || !graph.value(node.inputs[1]).constant) continue;
    const auto axes = with_other_axis(graph.value(node.inputs[1]).constant->integers(), rank, rng);
    sites.push_back({fmt::format("axes of '{}' ({})", node.name, node.op->text()), [id, axes](Graph& changed) {
                       changed.set_input(id, 1, changed.add_constant("other_axes", Tensor::vector(axes)));
                     }});
  }
  return sites;
}

bool is_one_of(const Node& node, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return node.op->is(name); });
}

FaultSites dropped_term_sites(const Graph& graph, Rng& rng) {
  FaultSites sites;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (is_one_of(node, {"Conv", "Gemm", "ConvTranspose"}) && node.inputs.size() == 3 && node.inputs[2].valid())
      sites.push_back({fmt::format("bias of '{}'", node.name), [id](Graph& changed) { changed.resize_inputs(id, 2); }});
    if (!is_one_of(node, {"Add", "Sub"})) continue;
    const std::size_t kept = rng.below(2);
    if (graph.value(node.inputs[kept]).type != graph.value(node.outputs[0]).type) continue;
    sites.push_back(
        {fmt::format("operand {} of '{}' ({})", 1 - kept, node.name, node.op->text()), [id, kept](Graph& changed) {
           changed.set_input(id, 0, changed.node(id).inputs[kept]);
           changed.resize_inputs(id, 1);
           changed.set_attributes(id, {});
           changed.set_op(id, OpName::intern("", "Identity"));
         }});
  }
  return sites;
}

FaultSites swapped_sites(const Graph& graph) {
  FaultSites sites;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const bool two = is_one_of(node, {"Sub", "Div", "Pow", "MatMul", "Gemm", "Less", "Greater", "Concat"});
    if ((!two && !node.op->is("Where")) || node.inputs.size() < 2) continue;
    const std::size_t first = two ? 0 : 1;
    const ValueId a = node.inputs[first], b = node.inputs[first + 1];
    const bool mixes = node.op->is("Concat") && graph.value(a).type != graph.value(b).type;
    if (a == b || mixes) continue;
    sites.push_back({fmt::format("operands of '{}' ({})", node.name, node.op->text()), [=](Graph& changed) {
                       changed.set_input(id, first, b);
                       changed.set_input(id, first + 1, a);
                     }});
  }
  return sites;
}

FaultSites sites_of(const Graph& graph, FaultKind kind, Rng& rng) {
  switch (kind) {
    case FaultKind::constant: return constant_sites(graph, rng);
    case FaultKind::axis: return axis_sites(graph, rng);
    case FaultKind::epsilon: return epsilon_sites(graph, rng);
    case FaultKind::dropped_term: return dropped_term_sites(graph, rng);
    case FaultKind::swapped_operands: return swapped_sites(graph);
  }
  return {};
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::constant: return "constant";
    case FaultKind::axis: return "axis";
    case FaultKind::epsilon: return "epsilon";
    case FaultKind::dropped_term: return "dropped term";
    case FaultKind::swapped_operands: return "swapped operands";
  }
  return {};
}

std::optional<Fault> inject(const Model& model, FaultKind kind, Rng rng) {
  const FaultSites sites = sites_of(model.graph, kind, rng);
  if (sites.empty()) return std::nullopt;
  const FaultSite& site = sites[rng.below(sites.size())];
  Fault fault{.model = model, .what = site.what};
  site.change(fault.model.graph);
  return fault;
}

}  // namespace hone
