#include "deliver/profile_pricing.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/machine/machine_file.h"
#include "run/measure/statistics.h"
#include "run/profile/node_config.h"

namespace hone {
namespace {

constexpr const char* kOrdinaryMachine = "cpu-gpu";  // its first device is a processor
constexpr double kMostBytes = 512e6;                 // of tensors held for nodes to be timed

/// What stands in a weight whose contents do not matter: nothing for naming a node, ordinary numbers for running it.
enum class Fill { zeros, numbers };

Tensor made_up(const Type& type, Fill fill) {
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.value());
  Tensor tensor = Tensor::zeros(type.element, dims);
  if (fill == Fill::numbers && is_floating(type.element))
    for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set_number(i, 0.25 + static_cast<double>(i % 7) / 8);
  return tensor;
}

/// A node outside its graph can be run when it reads tensors of known sizes alone, and parameters that are stored.
bool can_run_alone(const PricedNode& priced) {
  if (priced.node->captured > 0 || priced.outputs.empty()) return false;
  const std::span<const ValueId> ids = priced.node->written_inputs();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].valid()) continue;
    if (!priced.inputs[i].is_static_tensor() || priced.inputs[i].element == ElementType::string) return false;
    if (priced.fixed[i] && priced.contents[i] == nullptr && !is_floating(priced.inputs[i].element)) return false;
  }
  return std::ranges::all_of(priced.outputs, [](const Type& type) { return type.is_static_tensor(); });
}

/// Adds a node with all that it reads to a graph of nodes that do not hang together.
NodeId add_alone(ObservedGraph& to, const PricedNode& priced, Fill fill) {
  Graph& graph = to.model.graph;
  const auto name = [&] { return fmt::format("v{}", graph.value_count()); };
  std::vector<ValueId> inputs, outputs;
  const std::span<const ValueId> ids = priced.node->written_inputs();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto before = std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]) - ids.begin();
    const Type& type = priced.inputs[i];
    if (!ids[i].valid()) {
      inputs.emplace_back();
    } else if (static_cast<std::size_t>(before) < i) {
      inputs.push_back(inputs[static_cast<std::size_t>(before)]);
    } else if (priced.fixed[i]) {
      inputs.push_back(graph.add_constant(name(), priced.contents[i] ? *priced.contents[i] : made_up(type, fill)));
    } else {
      inputs.push_back(graph.add_input(name(), type));
      if (!is_floating(type.element)) to.contents.emplace(inputs.back(), made_up(type, fill));
    }
  }
  for (const Type& type : priced.outputs) outputs.push_back(graph.add_value(name(), type));
  return graph.add_node(priced.node->op, inputs, outputs, *priced.node->attributes);
}

double bytes_of(const PricedNode& priced) {
  double bytes = 0;
  for (const auto* types : {&priced.inputs, &priced.outputs})
    for (const Type& type : *types) bytes += static_cast<double>(byte_size(type).value_or(0));
  return bytes;
}

}  // namespace

DimSizes dim_sizes(const Model& model, const Model& made_static) {
  DimSizes sizes;
  const auto inputs = model.graph.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& symbolic = model.graph.value(inputs[i]).type.shape;
    const Shape& fixed = made_static.graph.value(made_static.graph.inputs()[i]).type.shape;
    for (std::size_t axis = 0; axis < std::min(symbolic.size(), fixed.size()); ++axis)
      if (symbolic[axis].symbolic() && fixed[axis].known()) sizes[symbolic[axis].text()] = fixed[axis].value();
  }
  return sizes;
}

ProfilePricing::ProfilePricing(const OperatorTimings& timings, const Model& model, DimSizes sizes)
    : timings_(timings), sizes_(std::move(sizes)), roofline_(load_machine(kOrdinaryMachine), model.opsets) {
  unknown_.model.opsets = model.opsets;
  unknown_.model.ir_version = model.ir_version;
}

PricedNode ProfilePricing::sized(const PricedNode& node) const {
  PricedNode sized = node;
  const auto size_of = [&](std::string_view symbol) -> std::optional<std::int64_t> {
    const auto found = sizes_.find(std::string(symbol));
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  };
  if (!sizes_.empty())
    for (auto* types : {&sized.inputs, &sized.outputs})
      for (Type& type : *types)
        for (Dim& dim : type.shape) dim = dim.substitute(size_of);
  return sized;
}

double ProfilePricing::seconds(const PricedNode& node) const {
  const PricedNode priced = sized(node);
  const double estimate = roofline_.seconds(priced);
  if (!can_run_alone(priced)) return timings_.calibration * estimate;
  ObservedGraph single;
  single.model.opsets = unknown_.model.opsets;
  const std::string config = node_config(single.model, add_alone(single, priced, Fill::zeros));
  if (const std::optional<NodeTiming> timing = timings_.table.find(timings_.context, config)) {
    if (estimate > 0 && timing->seconds > 0) ratios_.push_back(timing->seconds / estimate);
    return timing->seconds;
  }
  remember(priced, config);
  return timings_.calibration * estimate;
}

void ProfilePricing::remember(const PricedNode& node, const std::string& config) const {
  const double bytes = bytes_of(node);
  if (unknown_bytes_ + bytes > kMostBytes || !remembered_.insert(config).second) return;
  unknown_bytes_ += bytes;
  add_alone(unknown_, node, Fill::numbers);
}

double ProfilePricing::calibration() const { return ratios_.empty() ? timings_.calibration : median(ratios_); }

}  // namespace hone
