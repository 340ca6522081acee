#include "zoo/autodiff.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "graph/ir/order.h"
#include "graph/ops/op.h"

namespace hone::zoo {
namespace {

const GradientRule* find_rule(const OpName* op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const GradientRule*> rules;
    for (const GradientRule* rule : GradientFamily::all_entries())
      HONE_CHECK(rules.emplace(rule->op, rule).second, "operator {} has two gradients", rule->op);
    return rules;
  }();
  const auto found = op->domain.empty() ? index.find(op->name) : index.end();
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

/// One backward pass: which values matter, and the gradients known so far.
class Backward {
 public:
  Backward(Emitter& emitter, std::span<const ValueId> wanted)
      : emitter_(emitter), order_(topological_order(emitter.graph())), gradients_(emitter.graph().value_count()) {
    mark_active(wanted);
  }

  Emitter& emitter() { return emitter_; }
  bool active(ValueId id) const { return id.valid() && active_[id.index()]; }

  void run(ValueId loss) {
    accumulate(loss, reshape_to(emitter_, emitter_.scalar_like(loss, 1), emitter_.dims(loss)));
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) differentiate(*it);
  }

  /// None when the loss does not depend on the value.
  ValueId known_gradient(ValueId id) const { return gradients_[id.index()]; }

  ValueId gradient_or_zeros(ValueId id) {
    const ValueId known = known_gradient(id);
    return known.valid() ? known : emitter_.expand(emitter_.scalar_like(id, 0), emitter_.dims(id));
  }

  void accumulate(ValueId id, ValueId gradient) {
    ValueId& sum = gradients_[id.index()];
    sum = sum.valid() ? emitter_.add(sum, gradient) : gradient;
  }

 private:
  /// Active values are the real-valued ones that depend on a wanted value.
  void mark_active(std::span<const ValueId> wanted) {
    const Graph& graph = emitter_.graph();
    active_.assign(graph.value_count(), 0);
    for (const ValueId id : wanted) active_[id.index()] = 1;
    for (const NodeId id : order_) {
      const Node& node = graph.node(id);
      if (!std::ranges::any_of(node.inputs, [&](ValueId input) { return active(input); })) continue;
      if (const GradientRule* rule = find_rule(node.op); rule != nullptr && rule->backward == nullptr) continue;
      for (const ValueId output : node.outputs)
        if (output.valid()) active_[output.index()] = is_floating(emitter_.element_of(output));
    }
  }

  void differentiate(NodeId id) {
    const Node& node = emitter_.graph().node(id);
    const bool reached = std::ranges::any_of(
        node.outputs, [&](ValueId output) { return active(output) && known_gradient(output).valid(); });
    if (!reached || !std::ranges::any_of(node.inputs, [&](ValueId input) { return active(input); })) return;
    const GradientContext context(*this, id);
    const GradientRule* rule = find_rule(node.op);
    if (rule == nullptr) context.refuse("the operator has no gradient");
    const auto place = emitter_.scope(fmt::format("gradient{}", node.name));
    rule->backward(context);
  }

  Emitter& emitter_;
  std::vector<NodeId> order_;
  std::vector<ValueId> gradients_;
  std::vector<char> active_;
};

GradientContext::GradientContext(Backward& backward, NodeId id)
    : backward_(backward), id_(id), node_(backward.emitter().graph().node(id)) {}

Emitter& GradientContext::emit() const { return backward_.emitter(); }
ValueId GradientContext::gradient(std::size_t i) const { return backward_.gradient_or_zeros(output(i)); }
bool GradientContext::wants(std::size_t i) const { return backward_.active(input(i)); }

void GradientContext::give(std::size_t i, ValueId gradient) const {
  if (wants(i)) backward_.accumulate(input(i), sum_to(emit(), gradient, input_dims(i)));
}

std::int64_t GradientContext::integer(std::string_view name, std::int64_t fallback) const {
  const Attribute* attribute = node_.attribute(name);
  return attribute ? std::get<std::int64_t>(attribute->value) : fallback;
}

double GradientContext::number(std::string_view name, double fallback) const {
  const Attribute* attribute = node_.attribute(name);
  return attribute ? static_cast<double>(std::get<float>(attribute->value)) : fallback;
}

std::string_view GradientContext::text(std::string_view name, std::string_view fallback) const {
  const Attribute* attribute = node_.attribute(name);
  return attribute ? std::string_view(std::get<std::string>(attribute->value)) : fallback;
}

Integers GradientContext::integers(std::string_view name) const {
  const Attribute* attribute = node_.attribute(name);
  return attribute ? std::get<Integers>(attribute->value) : Integers{};
}

Integers GradientContext::constant_integers(std::size_t i) const {
  const std::optional<Tensor>& constant = emit().graph().value(input(i)).constant;
  if (!constant) refuse("the gradient needs constant bounds");
  return constant->integers();
}

void GradientContext::refuse(std::string_view reason) const { fail("{}: {}", describe(emit().graph(), id_), reason); }

ValueId reshape_to(Emitter& emitter, ValueId x, const Dims& dims) {
  return emitter.dims(x) == dims ? x : emitter.reshape(x, Integers(dims.begin(), dims.end()));
}

ValueId sum_to(Emitter& emitter, ValueId gradient, const Dims& dims) {
  const Dims from = emitter.dims(gradient);
  if (from == dims) return gradient;
  if (element_count(from) == element_count(dims)) return reshape_to(emitter, gradient, dims);
  const std::size_t leading = from.size() - dims.size();
  Integers axes;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (i < leading || (dims[i - leading] == 1 && from[i] != 1)) axes.push_back(static_cast<std::int64_t>(i));
  const Reduced reduced = axes.size() == leading ? Reduced::dropped : Reduced::kept;
  return reshape_to(emitter, emitter.reduce("ReduceSum", gradient, axes, reduced), dims);
}

std::vector<ValueId> add_gradients(Emitter& emitter, ValueId loss, std::span<const ValueId> wanted) {
  Backward backward(emitter, wanted);
  backward.run(loss);
  std::vector<ValueId> gradients;
  for (const ValueId id : wanted) gradients.push_back(backward.gradient_or_zeros(id));
  return gradients;
}

}  // namespace hone::zoo
